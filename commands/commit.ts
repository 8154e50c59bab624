import type { Viewer } from '../queries/access/viewer.ts'
import type { AnyCommand } from '../storage/command.ts'
import type * as commands from './index.ts'

type Commands = typeof commands

/** The names of the commands: of all functions that `commands/index.ts` exports, those that make a command. */
export type CommandName = {
  [N in keyof Commands]: Commands[N] extends (viewer: Viewer, args: never) => AnyCommand ? N : never
}[keyof Commands]

type ArgumentsOf<C> = C extends (viewer: Viewer, args: infer Arguments) => unknown ? Arguments : never
type ResultOf<C> = C extends (...args: never) => { readonly result: (...args: never) => infer Result } ? Result : never

export type CommandArguments<N extends CommandName> = ArgumentsOf<Commands[N]>
export type CommandResult<N extends CommandName> = ResultOf<Commands[N]>

/** Mapped over the names of a type parameter, so that an editor goes from `commit.pinBaseline` to the command itself. */
type Committed<C, Name extends keyof C> = {
  readonly [N in Name]: (viewer: Viewer, args: ArgumentsOf<C[N]>) => Promise<ResultOf<C[N]>>
}

/** Runs commands; each settles when it is durable and visible to every read. */
export type Commit = Committed<Commands, CommandName>
