const PHASES = 20;

/** A pack text with so many tools over 20 phases, each tool with a few rules. */
export function largePack(tools: number): string {
  const phase = (number: number) => `stage_${String(number).padStart(2, "0")}`;
  const names = Array.from({ length: PHASES }, (_, number) => phase(number));
  const phases = names.map((name, number) => {
    const mark = number === 0 ? ", initial: true" : number === PHASES - 1 ? ", terminal: true" : "";
    return `  - { name: ${name}${mark} }`;
  });
  const transitions = names.slice(0, -1).map((name, number) => {
    const back = number > 3 && number % 5 === 0 ? [phase(number - 3)] : [];
    return `  ${name}: [${[phase(number + 1), ...back].join(", ")}]`;
  });
  const contracts = Array.from({ length: tools }, (_, number) => {
    const at = number % (PHASES - 1);
    const leads = number < PHASES - 1 || number % 9 === 0;
    const effect = ["read", "write", "read", "financial"][number % 4];
    return `#== handle_case_${number}.yaml (with the required fields)
side_effect: ${effect}
transitions: { valid_in_phases: [${phase(at)}]${leads ? `, advances_to: ${phase(at + 1)}` : ""} }
argument_value_invariants:
  - { path: "$.amount", gte: 0, lte: ${1000 + number} }
  - { path: "$.case", regex: "^case_[0-9]+$" }
binds:
  - { name: last_case, source: arguments, path: "$.case" }`;
  });
  return `#== session.yaml (with the required fields)
phases:
${phases.join("\n")}
transitions:
${transitions.join("\n")}
session_limits: { max_steps: 100, max_tool_calls: 500 }
policy:
  rules:
    - deny: { principal: { path: "$.type", equals: readonly } }
${contracts.join("\n")}
`;
}
