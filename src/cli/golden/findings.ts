import type { Place } from "../../artifact/compiled-value.js";
import type { Diagnostic, RelatedPlace } from "../../diagnostics/diagnostic.js";
import type { PlayedCase } from "../../golden/played-case.js";
import type { PlaceSpans } from "../verification/place-span.js";
import { codeOf, failureWords, helpFor } from "./words.js";

/** The places that explain a failure: the call of the history, and the rule that refuses. */
function relatedPlaces({ actual }: PlayedCase, spans: PlaceSpans): readonly RelatedPlace[] {
  const places: [string, Place | null][] = [];
  if (actual.kind === "history_refused") places.push(["the call is here", actual.call.at]);
  if ("rule" in actual) places.push(["the rule is here", actual.rule]);
  return places.flatMap(([message, place]) => (place === null ? [] : [{ message, span: spans.at(place) }]));
}

/** The golden cases that failed, as findings at their places. */
export function goldenFindings(played: readonly PlayedCase[], spans: PlaceSpans): readonly Diagnostic[] {
  return played
    .filter(({ ok }) => !ok)
    .map((each) => {
      const related = relatedPlaces(each, spans);
      return {
        code: codeOf(each.actual),
        severity: "error",
        message: failureWords(each),
        help: helpFor(each),
        span: spans.at(each.golden.at),
        ...(related.length === 0 ? {} : { related }),
      };
    });
}
