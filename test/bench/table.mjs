/** Prints a table with aligned columns; numbers stand to the right. */
export function printTable({ title, columns, rows }) {
  const cells = [columns, ...rows.map((row) => row.map(String))];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => row[at].length)));
  const isNumeric = columns.map((_, at) => rows.every((row) => typeof row[at] === "number"));
  const lines = cells.map((row) => {
    const padded = row.map((cell, at) => (isNumeric[at] ? cell.padStart(widths[at]) : cell.padEnd(widths[at])));
    return `  ${padded.join("  ").trimEnd()}`;
  });
  const rule = `  ${widths.map((width) => "-".repeat(width)).join("  ")}`;
  process.stdout.write(`${[title, lines[0], rule, ...lines.slice(1)].join("\n")}\n\n`);
}
