import { type CommandContext, command } from "../../cli/options/command-context.ts";

export const mcpCommand = command({
  name: "mcp",
  description: "answer an assistant over stdin and stdout (MCP)",
  details:
    "Its tools only read what is published: list_daos, get_dao, explain_score, compare_daos, what_changed, get_methodology. An MCP client starts it and ends it by closing stdin.",
  example: "claude mcp add govdata -- govdata mcp",
  run: async ({ settings, terminal }: CommandContext) =>
    (await import("./serve-mcp.ts")).serveMcp(settings, terminal.err),
  text: () => "",
});
