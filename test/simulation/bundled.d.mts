export function bundled(isWorkflow: boolean): Promise<string>;
export const OPTIONS: readonly string[];
