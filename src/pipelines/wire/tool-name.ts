/** What the platform takes for the name of a tool. */
export const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,127}$/;
