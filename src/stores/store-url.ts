import { resolve } from "node:path";
import { StoreError } from "./store-error.js";

/** Where a store is. `shown` is what may be shown of it: no user, no password, no parameters. */
export type StorePlace =
  | { readonly kind: "memory"; readonly shown: string }
  | { readonly kind: "sqlite"; readonly shown: string; readonly path: string }
  | { readonly kind: "postgres"; readonly shown: string; readonly url: string };

const FORMS = "`memory:`, `sqlite:./guard.db` or `postgres://user@host:5432/database`";

function invalid(message: string): StoreError {
  return new StoreError("store_url_invalid", message);
}

function sqlitePlace(url: string, cwd: string): StorePlace {
  const rest = url.slice("sqlite:".length);
  // sqlite:///var/guard.db is the same as sqlite:/var/guard.db.
  const path = rest.startsWith("//") ? rest.slice(2) : rest;
  if (rest.startsWith("//") && !path.startsWith("/")) {
    throw invalid("a sqlite store is named by its path, without a host: `sqlite:./guard.db` or `sqlite:/var/guard.db`");
  }
  if (path === "" || path === ":memory:") throw invalid("name a file, `sqlite:./guard.db`, or use `memory:`");
  if (path.includes("\0")) throw invalid("the path of a sqlite store must not hold U+0000");
  return { kind: "sqlite", path: resolve(cwd, path), shown: `sqlite:${path}` };
}

function postgresPlace(url: string): StorePlace {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    // The cause quotes the whole text, and with it the password.
    throw invalid("the address of the postgres store is malformed: `postgres://user@host:5432/database`");
  }
  const { host, pathname, search, hash, searchParams } = parsed;
  // The password has one of these characters as it is: what follows it was taken for something else, and would be shown.
  if (pathname.includes("@") || hash.includes("@") || /^\?[^=]*@/.test(search)) {
    throw invalid(
      "the address of the postgres store is malformed: write `/`, `?`, `#` and `@` within its parts as %2F, %3F, %23 and %40",
    );
  }
  // The driver fails on any other in a way that never ends.
  const port = searchParams.get("port");
  if (port !== null && !(/^[0-9]{1,5}$/.test(port) && Number(port) < 65_536)) {
    throw invalid("the `port` of the postgres store is no number from 0 to 65535");
  }
  return { kind: "postgres", url, shown: `postgres://${host}${pathname}` };
}

/** Reads where a store is; relative paths start from `cwd`. */
export function storePlace(url: string, cwd: string): StorePlace {
  if (typeof url !== "string") throw invalid(`a store is named by a text: ${FORMS}`);
  if (url === "memory:") return { kind: "memory", shown: url };
  if (url.startsWith("sqlite:")) return sqlitePlace(url, cwd);
  if (/^postgres(?:ql)?:\/\//.test(url)) return postgresPlace(url);
  throw invalid(`no such kind of store: use ${FORMS}`);
}
