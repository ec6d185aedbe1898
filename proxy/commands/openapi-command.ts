import type { Command } from "commander";
import { openApiText } from "../openapi/openapi-document.ts";
import type { CommandWorld } from "./command-world.ts";
import { describedCommand } from "./described-command.ts";

/** Adds `openapi`, which needs no home and no snapshot. */
export function addOpenApiCommand(program: Command, world: CommandWorld): void {
  describedCommand(
    program,
    "openapi",
    "print the API's OpenAPI 3.1 document, as /openapi.json serves it",
    "openapi > openapi.json",
  ).action(() => void world.stdout.write(openApiText()));
}
