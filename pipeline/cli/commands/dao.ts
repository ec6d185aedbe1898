import { Command } from "commander";
import { listRegistry } from "../../run/edit-registry.ts";
import { contextOf, type ProcessContext } from "../command-context.ts";
import { formatTable } from "../table.ts";

type Dao = ReturnType<typeof listRegistry>["daos"][number];

function formatDaos(daos: readonly Dao[]): string {
  return formatTable(
    [
      { heading: "space", of: (dao: Dao) => dao.spaceId },
      { heading: "name", of: ({ name }) => name },
      { heading: "category", of: ({ category }) => category },
      {
        heading: "token",
        of: ({ governor }) => (governor === undefined ? "" : `${governor.chainId}:${governor.token}`),
      },
    ],
    daos,
  );
}

/** `govdata dao list` */
export function daoCommand(process: ProcessContext): Command {
  const list = new Command("list").description("the DAOs of the registry").action((_flags, self: Command) => {
    const context = contextOf(self, process);
    const { daos } = listRegistry(context.settings);
    context.print(formatDaos(daos), daos);
  });
  return new Command("dao")
    .description("the DAOs that are tracked")
    .addHelpText("after", "\nExample:\n  govdata dao list --json")
    .addCommand(list);
}
