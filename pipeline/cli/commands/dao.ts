import { Command, Option } from "commander";
import { checkDaosOnHub } from "../../run/check-daos-on-hub.ts";
import { listRegistry } from "../../run/edit-registry.ts";
import { contextOf, type ExitWith, type ProcessContext } from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import { formatTable } from "../table.ts";

type Dao = ReturnType<typeof listRegistry>["daos"][number];
type DaoCheck = Awaited<ReturnType<typeof checkDaosOnHub>>[number];

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

function formatChecks(checks: readonly DaoCheck[]): string {
  return formatTable(
    [
      { heading: "space", of: (check: DaoCheck) => check.spaceId },
      { heading: "name", of: ({ name }) => name },
      { heading: "is", of: ({ status }) => status },
      { heading: "there", of: ({ status, detail }) => (status === "same" ? "" : (detail ?? "")) },
    ],
    checks,
  );
}

/** A name of its own is no fault; a space that is gone is, and so is a hub that does not answer. */
function exitOf(checks: readonly DaoCheck[]): number {
  const failed = checks.filter(({ status }) => status === "failed").length;
  if (failed > 0 && failed === checks.length) return EXIT.nothingFetched;
  return failed > 0 || checks.some(({ status }) => status === "missing") ? EXIT.failed : EXIT.done;
}

/** `govdata dao list|check` */
export function daoCommand(process: ProcessContext, exitWith: ExitWith): Command {
  const list = new Command("list").description("the DAOs of the registry").action((_flags, self: Command) => {
    const context = contextOf(self, process);
    const { daos } = listRegistry(context.settings);
    context.print(formatDaos(daos), daos);
  });
  const check = new Command("check")
    .description("compare each with a live Snapshot hub; exit 1 when one is missing there")
    .addOption(
      new Option("--from <url>", "the hub's GraphQL address").env("GOVDATA_FROM").makeOptionMandatory(),
    )
    .action(async (flags: { from: string }, self: Command) => {
      const context = contextOf(self, process);
      const checks = await checkDaosOnHub(
        context.settings,
        { url: flags.from, hubKey: process.environment["GOVDATA_HUB_KEY"] },
        context.effects,
      );
      context.print(formatChecks(checks), checks);
      exitWith(exitOf(checks));
    });
  return new Command("dao")
    .description("the DAOs that are tracked")
    .addHelpText("after", "\nExample:\n  govdata dao list --json")
    .addCommand(list)
    .addCommand(check);
}
