import { defineConfig } from "vitest/config";
import base from "./vitest.config.js";

const { NEWEST_PACKAGE: name = "", NEWEST_FOLDER: folder = "" } = process.env;
if (name === "" || folder === "") throw new Error("run `npm run test:newest`");

/** The same tests with a package of another folder in place of the installed one. */
const aliases = Array.isArray(base.resolve?.alias) ? base.resolve.alias : [];
const replaced = { find: new RegExp(`^${name}$`), replacement: `${folder}/index.mjs` };
export default defineConfig({ ...base, resolve: { ...base.resolve, alias: [...aliases, replaced] } });
