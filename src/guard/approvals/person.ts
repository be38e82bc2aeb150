/** What cannot be seen in a name, or may not: two names that differ in nothing else look the same to whoever checks them. */
const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Cc}\p{Cf}\p{Co}\p{Cs}\u{2800}\u{1d159}]/gu;

/** One spelling for all those of a name that differ in case, width, spaces or what cannot be seen; "" for no name. */
function plainName(name: string): string {
  const visible = name.normalize("NFKC").replace(/\s+/gu, " ").replace(INVISIBLE, "").replace(/ +/gu, " ");
  // Upper case first: some letters have two lower ones.
  return visible.trim().toUpperCase().toLowerCase().normalize("NFKC");
}

/** Whether something is a text that names somebody, or says anything at all. */
export function isNamed(name: unknown): name is string {
  return typeof name === "string" && plainName(name) !== "";
}

/** Whether two names may be spellings of one. Names of one person that differ in letters cannot be recognised. */
export function isSamePerson(a: string, b: string): boolean {
  return plainName(a) === plainName(b);
}
