import { defineConfig } from "vitest/config";
import base from "./vitest.config.js";

const { NEWEST_MODULES: modules } = process.env;
if (modules === undefined) throw new Error("run `npm run test:newest`");
const replacing: readonly (readonly [string, string])[] = JSON.parse(modules);

/** The same tests with packages of another folder in place of the installed ones. */
const aliases = Array.isArray(base.resolve?.alias) ? base.resolve.alias : [];
const replaced = replacing.map(([name, replacement]) => ({ find: new RegExp(`^${name}$`), replacement }));
export default defineConfig({ ...base, resolve: { ...base.resolve, alias: [...aliases, ...replaced] } });
