import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { readable } from "../../snapshots/store/read/snapshot-error.ts";
import { type SupervisedFollower, superviseFollower } from "../follow/supervise.ts";
import { openHome } from "../home.ts";
import type { Log } from "../observe/create-log.ts";
import { type Paths, readServeSettings, SETTINGS, type ServeFlags, unknownVariables } from "../settings.ts";
import { versionsIn } from "../snapshot/snapshot-source.ts";
import type { CommandContext } from "./command-context.ts";
import { type CommandWorld, CUT_SHORT, stopped } from "./command-world.ts";
import { rest } from "./follow-command.ts";

/** Log lines are buffered for at most this long. */
const FLUSH_MS = 250;

/** A proxy without a copy waits this long for its first version before it listens; until one comes it returns 503. */
const FIRST_PULL_MS = 30_000;

/** Variables that the following process does not need. */
const SECRETS = ["GOVDATA_PEPPER", "GOVDATA_QUOTA"];

/** Adds `serve`. `setExitCode` is called when the server was stopped before it was done. */
export function addServeCommand(
  { add, program, world, paths: pathsOf, isJson, tell, printDone }: CommandContext,
  setExitCode: (code: number) => void,
): void {
  add(
    program,
    "serve",
    "serve the published snapshot until SIGTERM or SIGINT",
    "serve --host 127.0.0.1 --port 8787 --admin-port 9090",
  )
    .addOption(SETTINGS.option("GOVDATA_PROXY_HOST"))
    .addOption(SETTINGS.option("GOVDATA_PROXY_PORT"))
    .addOption(SETTINGS.option("GOVDATA_PROXY_ADMIN_PORT"))
    .addHelpText("after", `\n${SETTINGS.help()}`)
    .action(async (flags: ServeFlags) => {
      // A mistyped name must be noticed, but it may be meant for a newer version, so it is only a warning.
      for (const name of unknownVariables(world.environment)) {
        tell(`warning: ${name} is not a variable of this program; --help lists them`);
      }
      const paths = pathsOf();
      const settings = readServeSettings(flags, world.environment);
      // Loaded only here, because they take longer than any other command.
      const { bufferLines, createLog } = await import("../observe/create-log.ts");
      const { startServer } = await import("../server/start-server.ts");
      const { collectDefaultMetrics } = await import("prom-client");
      const logStream = bufferLines(world.stderr);
      const endFlushing = repeat(logStream.flush, FLUSH_MS);
      // A process that dies of an error still writes its last lines.
      const forgetExit = world.onExit(logStream.flush);
      let followed: SupervisedFollower | undefined;
      try {
        followed = follow(paths, world, createLog(logStream, settings.logLevel));
        if (followed !== undefined && (await isStoppedFirst(world, firstCopy(followed, paths)))) return;
        const server = await startServer(paths, settings, {
          nowMs: world.nowMs,
          monotonicMs: world.monotonicMs,
          randomBytes: world.randomBytes,
          logStream,
          openFilesMax: world.openFilesMax(),
          pepper: world.environment["GOVDATA_PEPPER"],
          versions: {
            ...versionsIn(paths.snapshots, settings.trustedKeys),
            ...(followed === undefined ? {} : { remote: followed.status }),
          },
          repeat,
          addProcessMetrics: (register) => collectDefaultMetrics({ register }),
        });
        for (const warning of server.warnings) tell(`warning: ${warning}`);
        // This must be the first line on stdout: programs wait for it.
        const { address, adminAddress } = server;
        if (isJson()) {
          printDone({ listening: address, admin: adminAddress ?? null });
        } else {
          world.stdout.write(`listening on ${address}\n`);
          if (adminAddress !== undefined) world.stdout.write(`admin on ${adminAddress}\n`);
        }
        const stop = () => {
          tell("stopping: finishing the requests in progress; signal again to stop at once");
          return Promise.all([followed?.stop(), server.stop(settings.drainMs)]);
        };
        if (!(await stopped(world, stop))) setExitCode(CUT_SHORT);
      } finally {
        await followed?.stop();
        endFlushing();
        logStream.flush();
        forgetExit();
      }
    });
}

/** Starts `follow` if versions are remote, in a separate process so that no request waits for a pull. */
function follow(
  { remote: address, home }: Paths,
  world: CommandWorld,
  log: Log,
): SupervisedFollower | undefined {
  if (address === undefined) return undefined;
  openHome(home);
  const environment = Object.entries(world.environment).filter(([name]) => !SECRETS.includes(name));
  return superviseFollower({
    start: () => world.startFollower(["--home", home, "follow", address], Object.fromEntries(environment)),
    nowMs: world.nowMs,
    rest,
    onEnd: (ended) =>
      log.warn(ended, "the process that follows the remote address ended and is started again"),
  });
}

/** Resolves when there is a copy to serve, or when it is known that there will be none soon. */
function firstCopy({ settled }: SupervisedFollower, { snapshots }: Paths): Promise<void> {
  const isThere = () => readable(() => readPointer(snapshots)) !== undefined;
  return settled(({ problem }) => problem !== undefined || isThere(), FIRST_PULL_MS);
}

/** Whether the program was asked to stop before the work was done. */
async function isStoppedFirst({ onStopSignal }: CommandWorld, work: Promise<void>): Promise<boolean> {
  let forget = () => {};
  const stopping = new Promise<true>((resolve) => {
    forget = onStopSignal(() => resolve(true));
  });
  try {
    return await Promise.race([work.then(() => false), stopping]);
  } finally {
    forget();
  }
}

function repeat(task: () => unknown, everyMs: number): () => void {
  const timer = setInterval(() => void task(), everyMs);
  return () => clearInterval(timer);
}
