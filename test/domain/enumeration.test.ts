import { describe, expect, it } from "vitest";
import { holds } from "../../src/domain/domain.js";
import { someMember } from "../../src/domain/members.js";
import { compareDomains, isEmpty, isWithin } from "../../src/domain/questions.js";
import { randomFrom } from "../support/random.js";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";
import { isExactFor, randomMeant, UNIVERSE } from "./small-universe.js";

const DOMAINS = sizeOf("DOMAIN_CASES", { share: 400, full: 10_000 });
const SEED = seedOf("DOMAIN_SEED", 181);

describe(`random domains, seed ${SEED}`, { timeout: 600_000 }, () => {
  it(`hold what is meant, ${DOMAINS} of them`, () => {
    let exact = 0;
    const wrong: unknown[] = [];
    for (let run = 0; run < DOMAINS; run++) {
      const { domain, isMeant, text } = randomMeant(randomFrom(SEED, run), run % 4);
      for (const content of UNIVERSE) {
        const [held, meant] = [holds(domain, content), isMeant(content)];
        if (held === null) continue;
        if (isExactFor(domain, content)) exact += 1;
        else if (!meant) continue;
        if (held !== meant) wrong.push([text, content, held]);
      }
    }
    expect(wrong).toEqual([]);
    expect(exact).toBeGreaterThan(DOMAINS * 50);
  });

  it("are empty only where nothing is meant, and show a member otherwise", () => {
    const counts = { empty: 0, shown: 0, unknown: 0 };
    for (let run = 0; run < DOMAINS; run++) {
      const { domain, isMeant, text } = randomMeant(randomFrom(SEED + 1, run), run % 4);
      const member = someMember(domain);
      if (member.kind === "none") {
        counts.empty += 1;
        expect(UNIVERSE.filter(isMeant).map((content) => [text, content])).toEqual([]);
        expect(isEmpty(domain)).toBe("yes");
      } else if (member.kind === "found" && member.value.isSure) {
        counts.shown += 1;
        const { content } = member.value;
        expect([text, content, isMeant(content)]).toEqual([text, content, true]);
        expect(isEmpty(domain)).toBe("no");
        if (typeof content !== "string") continue;
        const shorter = UNIVERSE.filter((one) => typeof one === "string" && [...one].length < [...content].length);
        expect(shorter.filter(isMeant).map((one) => [text, content, one])).toEqual([]);
      } else counts.unknown += 1;
    }
    expect(counts.empty).toBeGreaterThan(DOMAINS / 40);
    expect(counts.shown).toBeGreaterThan(DOMAINS / 2);
    expect(counts.unknown).toBeLessThan(DOMAINS / 10);
  });

  it("are compared as their members are", () => {
    const counts = { equal: 0, stronger: 0, weaker: 0, incomparable: 0, unknown: 0 };
    for (let run = 0; run < DOMAINS; run++) {
      const random = randomFrom(SEED + 2, run);
      const [one, other] = [randomMeant(random, run % 3), randomMeant(random, run % 2)];
      const { relation, onlyFirst, onlySecond } = compareDomains(one.domain, other.domain);
      counts[relation] += 1;
      const text = `${one.text} against ${other.text}`;
      const [here, there] = [
        UNIVERSE.filter((content) => one.isMeant(content) && !other.isMeant(content)),
        UNIVERSE.filter((content) => other.isMeant(content) && !one.isMeant(content)),
      ];
      if (isWithin(one.domain, other.domain) === "yes") expect([text, here]).toEqual([text, []]);
      if (relation === "equal" || relation === "stronger") expect([text, here]).toEqual([text, []]);
      if (relation === "equal" || relation === "weaker") expect([text, there]).toEqual([text, []]);
      if (onlyFirst?.isSure)
        expect([text, onlyFirst.content, one.isMeant(onlyFirst.content), other.isMeant(onlyFirst.content)]).toEqual([
          text,
          onlyFirst.content,
          true,
          false,
        ]);
      if (onlySecond?.isSure)
        expect([text, onlySecond.content, one.isMeant(onlySecond.content), other.isMeant(onlySecond.content)]).toEqual([
          text,
          onlySecond.content,
          false,
          true,
        ]);
      if (relation === "incomparable") expect([onlyFirst?.isSure, onlySecond?.isSure]).toEqual([true, true]);
    }
    for (const [relation, count] of Object.entries(counts)) expect([relation, count > 0]).toEqual([relation, true]);
    expect(counts.unknown).toBeLessThan(DOMAINS / 4);
  });
});
