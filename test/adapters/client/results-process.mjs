import OpenAI from "openai";
import { createGuard, decodeArtifact } from "../../../dist/bundle/guard.js";
import { guardClient } from "../../../dist/bundle/openai.js";
import { openStore } from "../../../dist/bundle/stores.js";

/** A process of an application that makes one request in a session that is in a store, and says what its reply was. */
const { url, artifact, sessionId, baseURL, body } = JSON.parse(process.argv[2] ?? "{}");
const store = await openStore(url);
const { artifact: decoded } = decodeArtifact(artifact);
const guard = await createGuard(decoded, { store, sessionId, approver: "manual", env: {} });
const client = guardClient(guard, new OpenAI({ apiKey: "key", baseURL }));
const { choices } = await client.chat.completions.create(body);
process.stdout.write(JSON.stringify(choices[0].message));
await store.close();
