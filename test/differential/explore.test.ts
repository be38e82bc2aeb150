import { writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { it } from "vitest";
import { loadGuard } from "./adapter.js";
import { tryCompile } from "./compile-pack.js";
import { duel } from "./duel.js";
import { Random } from "./generate/random.js";
import { generateCase } from "./generate.js";
import { shrink } from "./shrink.js";

it("explores", async () => {
  const real = (await loadGuard())!;
  const create: typeof real = process.env.NOVIS ? async (a, o) => { const g: any = await real(a, o); return new Proxy(g, { get: (t, k) => k === "visibleTools" ? () => undefined : typeof t[k] === "function" ? t[k].bind(t) : t[k] }); } : real;
  const seeds = new Random(Number(process.env.SEED ?? 7));
  const seen = new Map<string, { n: number; text: string; size: number }>();
  let decisions = 0;
  const until = Date.now() + Number(process.env.SECONDS ?? 60) * 1000;
  while (Date.now() < until) {
    const caseSeed = seeds.fork();
    const { pack, traces } = generateCase(caseSeed, 16);
    const artifact = tryCompile(pack);
    if (typeof artifact === "string") throw new Error(artifact);
    for (const t0 of traces) {
      const trace = {
        ...t0,
        operations: process.env.AVOID
          ? t0.operations.flatMap((o: any) => {
              if (o.op === "wait") return [];
              if (
                o.op === "settle" &&
                o.outcome.kind === "error" &&
                (o.outcome.status >= 500 || o.outcome.status === 408)
              ) {
                const { code, ...rest } = o.outcome;
                return [{ ...o, outcome: rest }];
              }
              return [o];
            })
          : t0.operations,
      };
      if (
        process.env.AVOID &&
        (pack.session?.session_limits?.circuit_breaker?.consecutive_blocks !== undefined ||
          pack.tools.some((t) => t.preconditions?.some((x) => x.resource && x.requires_step_count)))
      )
        continue;
      if (process.env.GUARD_MODE && trace.setting.mode !== process.env.GUARD_MODE) continue;
      const d = await duel(pack, trace, { create, artifact });
      decisions += d.decisions;
      if (d.difference === null) continue;
      const key = (x: any) =>
        `${trace.setting.mode} ${x.what} ref=${inspect(x.reference, { depth: 5, breakLength: 1e9 })} guard=${inspect(x.guard, { depth: 5, breakLength: 1e9 })}`.slice(
          0,
          x.what === "state" ? 30 : 400,
        );
      const sig = key(d.difference);
      const known = seen.get(sig);
      if (known && known.n >= 2) {
        known.n++;
        continue;
      }
      const what = d.difference.what;
      const play = async (s: any) => {
        const a = tryCompile(s.pack);
        if (typeof a === "string") return null;
        return (await duel(s.pack, s.trace, { create, artifact: a })).difference;
      };
      const small = await shrink(
        { pack, trace },
        async (s) => {
          const x = await play(s);
          return x !== null && x.what === what && (what === "state" || key(x) === sig);
        },
        1200,
      );
      const diff = await play(small);
      const strip = JSON.stringify(small.pack, (k, v) =>
        ["timeouts", "retries", "rate_limits", "golden_cases"].includes(k) || (k === "allowed_errors" && v.length === 0)
          ? undefined
          : v,
      );
      const text = [
        `seed ${caseSeed} op ${diff?.at} ${what}`,
        `ref   ${inspect(diff?.reference, { depth: null, breakLength: 200 })}`,
        `guard ${inspect(diff?.guard, { depth: null, breakLength: 200 })}`,
        strip,
        inspect(small.trace.setting, { breakLength: 300 }),
        ...small.trace.operations.map((o, i) => `${i}: ${inspect(o, { depth: null, breakLength: 300 })}`),
      ].join("\n");
      if (!known || text.length < known.size) seen.set(sig, { n: (known?.n ?? 0) + 1, text, size: text.length });
      else known.n++;
    }
  }
  writeFileSync(
    "/tmp/diff/found.txt",
    `${decisions} decisions\n\n` +
      [...seen]
        .sort((a, b) => b[1].n - a[1].n)
        .map(([sig, { n, text }]) => `##### ${n}x ${sig}\n${text}\n`)
        .join("\n"),
  );
}, 600_000);
