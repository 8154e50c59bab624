import { counted } from '../../domain/plain/counted.ts'
import { Command, Option } from 'commander'
import { printable } from '../../domain/text/printable.ts'
import { exitWith, UserError, withUsageExit } from '../../maintenance/user-error.ts'
import { CLI } from '../../queries/access/viewer.ts'
import { findHold, HoldList, HoldView, listHolds } from '../../queries/runs/holds.ts'
import { findSuiteSet, listProjects, ProjectList, SuiteSet } from '../../queries/sets/sets.ts'
import type { OpenService } from '../../runtime/services.ts'
import { MAX_DOCUMENT_BYTES } from '../client/answer.ts'
import { untilStopped } from '../terminal/stop-signals.ts'
import { onTarget, withAdminTarget, type AdminTarget } from '../store/admin-target.ts'
import { parseReference } from './erase.ts'
import { listPages, queryText } from '../client/pages.ts'

export const holdCommand = (): Command => {
  const hold = withUsageExit(new Command('hold')).addHelpText(
    'after',
    '\nA run under a legal hold can be neither deleted nor erased. SERVICE_TOKEN is the bearer token, of scope admin. Exit code 0: done; 2: nothing could be done; 130: interrupted.',
  )
  for (const command of [placeCommand(), liftCommand(), listCommand()])
    hold.addCommand(withAdminTarget(withUsageExit(command)).option('--json', 'print the answer as JSON'))
  return hold
}

const REFERENCE = ['--reference <text>', 'where the reason is written down; it stays in the log for ever'] as const

type Common = AdminTarget & { readonly json?: boolean }
type PlaceOptions = Common & {
  readonly run?: string
  readonly project?: string
  readonly suite?: string
  readonly reference: string
  readonly note?: string
}

const placeCommand = (): Command =>
  new Command('place')
    .description('place a hold on a run, on a suite, or on a project, with all runs to come')
    .option('--run <id>', 'the run')
    .option('--project <name>', 'the project')
    .option('--suite <name>', 'the suite of the project; all of them if it is not given')
    .requiredOption(...REFERENCE, parseReference)
    .option('--note <text>', 'a note; it can be read by admins, and is not in the log')
    .action((options: PlaceOptions) => exitWith(() => place(options)))

const place = (options: PlaceOptions): Promise<number> => {
  const { run: run_id, project, suite, reference, note, json = false } = options
  if ((run_id === undefined) === (project === undefined) || (suite !== undefined && project === undefined))
    throw new UserError('give --run, or --project with or without --suite')
  const scope = { run_id: run_id ?? null, project: project ?? null, suite: suite ?? null }
  return untilStopped(async ({ signal }) => {
    const hold = await onTarget(options, signal, {
      method: 'POST',
      path: '/holds',
      body: { ...scope, reference, note: note ?? null },
      parse: (body) => HoldView.parse(body),
      onStore: async (service) => {
        const { newIds } = await import('../../http/identity/ids.ts')
        const placed = await service.commit.placeHold(CLI, {
          ...scope,
          hold_id: newIds()(),
          reference,
          note: note ?? null,
        })
        return readHold(service, placed.hold_id)
      },
    })
    console.log(
      json ? printable(JSON.stringify(hold)) : `${holdText(hold)} stands${await coveredBy(hold, options, signal)}`,
    )
    return 0
  })
}

/**
 * How many runs a hold on a suite or a project covers now, as the end of a line; empty if that cannot be read. A hold on a
 * mistyped name covers none.
 */
const coveredBy = async (
  { project, suite }: Pick<HoldView, 'project' | 'suite'>,
  target: AdminTarget,
  signal: AbortSignal,
): Promise<string> => {
  // A path cannot have an empty part.
  if (project === null || project === '' || suite === '') return ''
  const read =
    suite === null
      ? onTarget(target, signal, {
          method: 'GET',
          path: '/projects',
          parse: (body) => runsIn(ProjectList.parse(body), project),
          maxBytes: MAX_DOCUMENT_BYTES,
          onStore: async ({ reader }) => runsIn(await reader.read(listProjects(CLI)), project),
        })
      : onTarget(target, signal, {
          method: 'GET',
          path: `/sets/${encodeURIComponent(project)}/suites/${encodeURIComponent(suite)}`,
          parse: (body) => SuiteSet.parse(body).run_count,
          absent: 0,
          onStore: async ({ reader }) => (await findSuiteSet(reader, CLI, { project, suite }))?.run_count ?? 0,
        })
  // The hold is placed, whatever this read gives.
  const count = await read.catch((error: unknown) => {
    if (error instanceof UserError) return null
    throw error
  })
  return count === null ? '' : `; it covers ${counted(count, 'run')} now`
}

const runsIn = ({ projects }: ProjectList, name: string): number =>
  projects.find(({ project }) => project === name)?.run_count ?? 0

const readHold = async ({ reader }: OpenService, hold_id: string): Promise<HoldView> => {
  const hold = await reader.read(findHold(hold_id))
  if (!hold) throw new UserError('hold not found')
  return hold
}

const liftCommand = (): Command =>
  new Command('lift')
    .description('lift a hold; other holds on the same runs still stand')
    .argument('<hold-id>')
    .requiredOption(...REFERENCE, parseReference)
    .action((id: string, options: Common & { readonly reference: string }) => exitWith(() => lift(id, options)))

const lift = (id: string, options: Common & { readonly reference: string }): Promise<number> => {
  const { reference, json = false } = options
  return untilStopped(async ({ signal }) => {
    const hold = await onTarget(options, signal, {
      method: 'POST',
      path: `/holds/${encodeURIComponent(id)}/lift`,
      body: { reference },
      parse: (body) => HoldView.parse(body),
      onStore: async (service) => {
        await service.commit.liftHold(CLI, { hold_id: id, reference })
        return readHold(service, id)
      },
    })
    console.log(json ? printable(JSON.stringify(hold)) : `${holdText(hold)} is lifted`)
    return 0
  })
}

type ListOptions = Common & { readonly standing?: boolean; readonly lifted?: boolean }

const listCommand = (): Command =>
  new Command('list')
    .description('list the holds, newest first')
    .option('--standing', 'only those that stand')
    .addOption(new Option('--lifted', 'only those that were lifted').conflicts('standing'))
    .action((options: ListOptions) => exitWith(() => list(options)))

const MAX_LISTED = 200

const list = (options: ListOptions): Promise<number> => {
  const { standing, lifted, json = false } = options
  const filter = lifted ? { standing: false } : { standing }
  return untilStopped(async ({ signal }) => {
    const pages = listPages((cursor) =>
      onTarget(options, signal, {
        method: 'GET',
        path: `/holds?${queryText({ limit: MAX_LISTED, standing: filter.standing, cursor })}`,
        parse: (body) => HoldList.parse(body),
        onStore: ({ reader }) => listHolds(reader, filter, { limit: MAX_LISTED, cursor }),
      }),
    )
    const holds = (await Array.fromAsync(pages, (page) => page.holds)).flat()
    for (const hold of holds) console.log(printable(json ? JSON.stringify(hold) : listed(hold)))
    return 0
  })
}

const holdText = ({ id, run_id, project, suite, reference }: HoldView): string => {
  const scope =
    run_id === null ? (suite === null ? `project ${project}` : `suite ${project}/${suite}`) : `run ${run_id}`
  return printable(`hold ${id} on ${scope} (${reference})`)
}

const listed = (hold: HoldView): string => {
  const { placed_at, lifted_at, note } = hold
  const times =
    lifted_at === null ? `stands since ${placed_at}` : `was placed at ${placed_at} and lifted at ${lifted_at}`
  return `${holdText(hold)} ${times}${note === null ? '' : `: ${note}`}`
}
