import {
  type ChildProcess,
  execFile,
  execFileSync,
  type SpawnOptions,
  spawn,
  spawnSync,
} from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Copy, DockerfileParser, type From, type Instruction } from "dockerfile-ast";
import { SQLITE_PACKAGE } from "../../snapshots/base/sqlite.ts";
import { PROJECT } from "../rules/source-files.ts";
import { lastingFolder } from "../support/run-folder.ts";
import { plainEnvironment } from "./install-package.ts";

const execute = promisify(execFile);

/** The instructions of the Dockerfile. */
export const DOCKERFILE = DockerfileParser.parse(
  readFileSync(join(PROJECT, "proxy/deploy/Dockerfile"), "utf8"),
);

/** The Node of the image: the one that `.ci/run` names, else the one that runs the tests. */
const NODE = process.env["GOVDATA_TEST_IMAGE_NODE"] ?? process.execPath;
/** Where the image that the Dockerfile starts from has Node. */
const PROGRAMS = "/usr/local/bin";
const PATH = `${PROGRAMS}:/usr/sbin:/usr/bin:/sbin:/bin`;

/** Lays what a stage changed over the files of this machine, which stand for the image that the Dockerfile starts from. */
const LAY = `
  mount -t overlay overlay -o "lowerdir=/,upperdir=$1/changes,workdir=$1/work" "$1/root"
  for each in dev proc run; do mount --rbind "/$each" "$1/root/$each"; done
`;

/** As a container runs: with its volumes, which begin as copies of what the image has there, a /tmp, and else read-only. */
const RUN = `${LAY}
  for each in $VOLUMES; do
    [ -e "$1/volumes$each" ] || { mkdir -p "$1/volumes$each"; rmdir "$1/volumes$each"; cp -a "$1/root$each" "$1/volumes$each"; }
    mount --bind "$1/volumes$each" "$1/root$each"
  done
  mount --bind "$ARCHIVE" "$1/root/mnt"
  mount -t tmpfs tmpfs "$1/root/tmp"
  mount -o remount,ro,bind "$1/root"
  root="$1"; shift
  exec chroot --userspec="$CONTAINER_USER" "$root/root" env -i "$@"
`;

const inOwnMounts = (script: string, ...args: readonly string[]): readonly string[] => [
  ...["unshare", "--mount", "sh", "-euc", script, "sh"],
  ...args,
];

class Stage {
  readonly folder: string;
  directory = "/";

  constructor(root: string, index: number) {
    this.folder = join(root, String(index));
    for (const name of ["changes", "work", "root"]) mkdirSync(join(this.folder, name), { recursive: true });
  }

  /** A path of the stage, as far as the stage itself made it. */
  path(path: string): string {
    return join(this.folder, "changes", path);
  }
}

/**
 * Whether building is possible here: the user may mount and change the root, and the image's Node has a binary of SQLite,
 * which is not compiled in an image.
 */
export function canBuild(): boolean {
  if (NODE === process.execPath && SQLITE_PACKAGE !== "better-sqlite3") return false;
  const root = mkdtempSync(join(lastingFolder(), "govdata-image-"));
  const { folder } = new Stage(root, 0);
  const [program = "", ...args] = inOwnMounts(`${LAY} chroot "$1/root" true`, folder);
  const { status } = spawnSync(program, args);
  rmSync(root, { recursive: true, force: true });
  return status === 0;
}

function copy(instruction: Copy, stage: Stage, stages: ReadonlyMap<string, Stage>): void {
  const sources = instruction.getArguments().map((argument) => argument.getValue());
  const to = sources.pop() ?? "";
  const from = instruction.getFromFlag()?.getValue();
  const target = stage.path(resolve(stage.directory, to));
  for (const source of sources) {
    const path = from == null ? join(PROJECT, source) : stages.get(from)?.path(source);
    if (path === undefined) throw new Error(`no stage is called ${from}`);
    const isFolder = statSync(path).isDirectory();
    const destination = isFolder || !to.endsWith("/") ? target : join(target, basename(source));
    mkdirSync(isFolder ? destination : dirname(destination), { recursive: true });
    execFileSync("cp", ["-a", isFolder ? `${path}/.` : path, destination]);
  }
}

const contentOf = (keyword: string): string => {
  const instruction = DOCKERFILE.getInstructions().findLast(
    (instruction) => instruction.getKeyword() === keyword,
  );
  return instruction?.getArgumentsContent() ?? "";
};

/** The settings that the image gives its containers. */
export const SETTINGS = {
  user: contentOf("USER"),
  volumes: JSON.parse(contentOf("VOLUME")) as readonly string[],
  command: JSON.parse(contentOf("CMD")) as readonly string[],
  healthCheck: JSON.parse(contentOf("HEALTHCHECK").replace(/^.*?CMD /, "")) as readonly string[],
  environment: Object.fromEntries(
    DOCKERFILE.getENVs().flatMap((env) =>
      env.getProperties().map((property) => [property.getName(), property.getValue() ?? ""] as const),
    ),
  ),
};

/** A built image. */
export interface Image {
  /** A path of the image, as far as the image itself made it. */
  readonly path: (path: string) => string;
  /** Starts a command in a container with these variables in addition; `archive` is mounted on /mnt. */
  readonly start: (
    command: readonly string[],
    container?: { readonly user?: string; readonly environment?: Readonly<Record<string, string>> },
    options?: SpawnOptions,
  ) => ChildProcess;
}

/** Builds the image below a folder by the Dockerfile's own lines, of which each RUN is run by a shell in the stage. */
export async function buildImage(root: string, archive: string): Promise<Image> {
  const stages = new Map<string, Stage>();
  let stage = new Stage(root, 0);
  const steps: Readonly<Record<string, (instruction: Instruction, content: string) => unknown>> = {
    FROM: (instruction) => {
      stage = new Stage(root, stages.size + 1);
      stages.set((instruction as From).getBuildStage() ?? "", stage);
      mkdirSync(stage.path(PROGRAMS), { recursive: true });
      cpSync(realpathSync(NODE), stage.path(join(PROGRAMS, "node")));
    },
    WORKDIR: (_, content) => {
      stage.directory = content;
      mkdirSync(stage.path(content), { recursive: true });
    },
    COPY: (instruction) => copy(instruction as Copy, stage, stages),
    RUN: (_, content) => {
      const line = `cd ${stage.directory} && ${content}`;
      const script = `${LAY} exec chroot "$1/root" /bin/sh -c "$2"`;
      const [program = "", ...args] = inOwnMounts(script, stage.folder, line);
      return execute(program, args, { env: { ...plainEnvironment(), PATH }, maxBuffer: 2 ** 26 });
    },
  };
  for (const instruction of DOCKERFILE.getInstructions()) {
    await steps[instruction.getKeyword()]?.(instruction, instruction.getArgumentsContent() ?? "");
  }
  const { folder } = stage;
  return {
    path: (path) => stage.path(path),
    start: (command, { user = SETTINGS.user, environment = {} } = {}, options = {}) => {
      const variables = Object.entries({ ...SETTINGS.environment, ...environment });
      const pairs = [`PATH=${PATH}`, ...variables.map(([name, value]) => `${name}=${value}`)];
      const [program = "", ...args] = inOwnMounts(RUN, folder, ...pairs, ...command);
      const settings = { VOLUMES: SETTINGS.volumes.join(" "), ARCHIVE: archive, CONTAINER_USER: user };
      return spawn(program, args, { ...options, env: { ...plainEnvironment(), ...settings } });
    },
  };
}
