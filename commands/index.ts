import { pinBaseline } from './baseline/pin-baseline.ts'
import { unpinBaseline } from './baseline/unpin-baseline.ts'
import type { BaselineEvent } from './baseline/events.ts'
import type { ResultOf } from './command.ts'
import { deleteRun } from './run/delete-run.ts'
import type { RunEvent } from './run/events.ts'
import { ingestPrepared, ingestRun } from './run/ingest-run.ts'
import { recordRebuild } from './service/record-rebuild.ts'
import { recordStart } from './service/record-start.ts'
import type { ServiceEvent } from './service/events.ts'
import type { Viewer } from '../queries/viewer.ts'

/** Every command by name: it crosses to the writer as its name, the viewer and plain arguments. */
export const commands = { deleteRun, ingestPrepared, ingestRun, pinBaseline, recordRebuild, recordStart, unpinBaseline }

export type CommandName = keyof typeof commands
export type CommandArguments<N extends CommandName> = Parameters<(typeof commands)[N]>[1]
export type CommandResult<N extends CommandName> = ResultOf<ReturnType<(typeof commands)[N]>>

/** Runs a command by name; settles once it is durable and visible to every read. */
export type Commit = <N extends CommandName>(name: N, viewer: Viewer, args: CommandArguments<N>) => Promise<CommandResult<N>>

/** Every event there is. An unknown type in the log stops the process. */
export type DomainEvent = RunEvent | BaselineEvent | ServiceEvent
