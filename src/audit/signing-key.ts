import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

/** A text that is no key to sign or to check with. Says nothing of the text. */
export class BadKey extends Error {}

function ed25519(read: () => KeyObject, what: string): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch {
    throw new BadKey(`it is not a ${what} in PEM format that can be read without a passphrase`);
  }
  if (key.asymmetricKeyType === "ed25519") return key;
  throw new BadKey("it is of another kind: give an Ed25519 key (`openssl genpkey -algorithm ed25519`)");
}

/** Reads the key to sign with. */
export function privateKey(pem: string): KeyObject {
  return ed25519(() => createPrivateKey(pem), "private key");
}

/** Reads the key to check signatures with. A private key has no place where logs are checked. */
export function publicKey(pem: string): KeyObject {
  if (pem.includes("PRIVATE KEY"))
    throw new BadKey("it is a private key: give the public one (`openssl pkey -pubout`)");
  return ed25519(() => createPublicKey(pem), "public key");
}

/** What names a key in checkpoints: the hash of its public part. */
export function keyName(key: KeyObject): string {
  const open = key.type === "private" ? createPublicKey(key) : key;
  const bytes = open.export({ type: "spki", format: "der" });
  return `sha256-${createHash("sha256").update(bytes).digest("hex")}`;
}
