/** The types of Node declare its members as properties, which a class cannot override. */
const Plain = Response as unknown as new (body: null, init: ResponseInit) => object;

/** A response whose text is known. It makes a stream of it only for those who ask for one. */
class ReadResponse extends Plain {
  private isTaken = false;
  private streamed: Response | null = null;

  constructor(
    private readonly content: string,
    private readonly given: ResponseInit,
    readonly url: string,
  ) {
    super(null, given);
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
    return this.content;
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.asStream.arrayBuffer();
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
    this.streamed ??= new Response(this.content, this.given);
    return this.streamed;
  }
}

/**
 * The response of a provider with a text in place of its body, which was read. A body costs as much as a judgement, and SDKs only read
 * its JSON.
 */
export function readResponse(content: string, { status, statusText, url }: Response, headers: Headers): Response {
  return new ReadResponse(content, { status, statusText, headers }, url) as unknown as Response;
}
