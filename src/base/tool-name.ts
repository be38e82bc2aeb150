/** The grammar of tool names, the same in contracts and on the platform. */
export const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,127}$/;
