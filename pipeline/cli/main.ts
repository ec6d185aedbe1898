#!/usr/bin/env node
import { startProgram } from "../../snapshots/base/platform.ts";

await startProgram(() => import("./start.ts"));
