/** Loaded before a command: says at its end how much memory the process ever had. */
process.on("exit", () => process.stderr.write(`peak ${process.resourceUsage().maxRSS} KB\n`));
