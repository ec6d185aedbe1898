import type { CommandContext } from "../commands/command-context.ts";
import { addBackupCommands } from "./commands/backup-commands.ts";
import { addFollowCommand } from "./commands/follow-command.ts";

/** Adds the commands that only several machines or recovery need. */
export function addFleetCommands(context: CommandContext, setExitCode: (code: number) => void): void {
  addFollowCommand(context, setExitCode);
  addBackupCommands(context);
}
