import type { JsonObject } from "../../base/json.js";

/** What was read of a response. */
export interface ReadBody {
  readonly text: string;
  /** What the text is the JSON of, for whoever asks first; nobody else has it then. */
  readonly json?: JsonObject;
}

/**
 * A response whose text is known. It makes a stream of it only for those who ask for one: a body costs as much as a judgement, and SDKs
 * only read its JSON. It is no response of the platform itself, whose members read what it does not have, but has all of them.
 */
class ReadResponse {
  private isTaken = false;
  private streamed: Response | null = null;

  constructor(
    private readonly given: Response,
    readonly headers: Headers,
    private readonly content: ReadBody,
  ) {}

  get status(): number {
    return this.given.status;
  }

  get statusText(): string {
    return this.given.statusText;
  }

  get ok(): boolean {
    return this.given.ok;
  }

  get url(): string {
    return this.given.url;
  }

  get redirected(): boolean {
    return this.given.redirected;
  }

  get type() {
    return this.given.type;
  }

  get body() {
    return this.asStream.body;
  }

  get bodyUsed(): boolean {
    return this.streamed === null ? this.isTaken : this.streamed.bodyUsed;
  }

  async text(): Promise<string> {
    if (this.isTaken || this.streamed !== null) return this.asStream.text();
    this.isTaken = true;
    return this.content.text;
  }

  async json(): Promise<unknown> {
    const isFirst = !this.isTaken && this.streamed === null;
    const text = await this.text();
    return (isFirst ? this.content.json : undefined) ?? JSON.parse(text);
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.asStream.arrayBuffer();
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await this.arrayBuffer());
  }

  async blob() {
    return this.asStream.blob();
  }

  async formData() {
    return this.asStream.formData();
  }

  clone(): Response {
    return this.asStream.clone();
  }

  private get asStream(): Response {
    if (this.streamed === null && this.isTaken) throw new TypeError("the body of this response was read already");
    const { status, statusText } = this.given;
    this.streamed ??= new Response(this.content.text, { status, statusText, headers: this.headers });
    return this.streamed;
  }
}
Object.setPrototypeOf(ReadResponse.prototype, Response.prototype);

/** The response of a provider with a text in place of its body, which was read. */
export function readResponse(given: Response, headers: Headers, content: ReadBody): Response {
  return new ReadResponse(given, headers, content) as unknown as Response;
}
