/** The price of a model's tokens, in US dollars for a million of them. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Of input that the provider had cached; that of other input where it is absent. */
  readonly cachedInput?: number;
}

/** Prices by the name of the model; a name also stands for its versions, which continue it with `-`. */
export type Prices = Readonly<Record<string, Price>>;

/** The tokens of a reply. Cached input is not part of `input`. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
}

const MILLION = 1_000_000;

/** What a reply cost, in US dollars; null if the price of its model is not known. */
export function costOf(prices: Prices, model: string, { input, output, cachedInput }: Usage): number | null {
  const price = priceOf(prices, model);
  if (price === null) return null;
  const cached = cachedInput * (price.cachedInput ?? price.input);
  return (input * price.input + output * price.output + cached) / MILLION;
}

/** Whether the replies of a model can be counted. */
export function hasPrice(prices: Prices, model: string): boolean {
  return priceOf(prices, model) !== null;
}

function priceOf(prices: Prices, model: string): Price | null {
  const names = Object.keys(prices).filter((name) => model === name || model.startsWith(`${name}-`));
  const longest = names.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? null : (prices[longest] ?? null);
}
