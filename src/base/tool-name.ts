/** The grammar of tool names: the platform's own, which the contract language shares. */
export const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,127}$/;
