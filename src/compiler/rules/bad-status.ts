import { quoted } from "../../diagnostics/wording.js";
import { defineProblemRule } from "../rule.js";

/** A token that matches no error is an expectation that never holds. */
export const badStatus = defineProblemRule("bad_status", {
  what: "An HTTP status or error token can match no error.",
  why: "The retry or the expected error it stands for would never happen.",
  mend: 'Write a status from "100" to "599", a class such as "5xx", or an error code.',
  message: ({ found, codesToo }) =>
    `${quoted(found)} is ${codesToo ? "neither an HTTP status nor an error code" : "not an HTTP status"}`,
  help: ({ codesToo }) =>
    `write a status such as "429"${codesToo ? ', a class such as "5xx", or an error code such as `timeout`' : ' or a class such as "5xx"; an error code goes into `code`'}`,
});
