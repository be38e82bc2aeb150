/** What a test of a value gives; null where it cannot be judged. */
export type Judgement = boolean | null;
