#!/usr/bin/env node
import { main } from "../dist/cli/main.js";

const { argv, env, stdout, stderr } = process;
process.exitCode = await main(argv.slice(2), { cwd: process.cwd(), env, stdout, stderr });
