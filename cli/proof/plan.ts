import { counted } from '../../domain/plain/counted.ts'
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import * as z from 'zod'
import { printable } from '../../domain/text/printable.ts'
import { HarnessError, UsageError } from '../../engine/json.ts'
import type { SuiteName } from '../../engine/store/baseline.ts'
import { withUsageExit } from '../../maintenance/user-error.ts'
import { TransientError } from '../client/backoff.ts'
import { readJson, send, unexpected } from '../client/baseline-server.ts'
import { requiredServer, type EngineServer, type ServerUrlOptions } from '../client/engine-server.ts'
import { errorText, readAnswer } from '../client/answer.ts'
import { note, runCommand, runsCommandNamed, withServerOptions } from '../runs/command.ts'
import { suiteNameOf } from '../runs/suite-name.ts'
import type { GlobalOptions } from '../suite/global-options.ts'
import { writeStdout } from '../terminal/stdout.ts'
import { wholeNumber } from '../terminal/option-values.ts'
import { listPages, queryText } from '../client/pages.ts'

/** `ers plan`: plans that are registered on a service before the runs that follow them. */
export const planCommand = (): Command => {
  const plan = withUsageExit(new Command('plan')).addHelpText(
    'after',
    '\nA run follows a plan if its upload names it (ers share --plan, ers import --plan) or if both have one configuration digest. SERVICE_TOKEN is the bearer token. Exit code 0: done; 2: the plan, the file or the service is not known, or the plan is refused; 3: the service failed.',
  )
  for (const command of [registerCommand(), revealCommand(), withdrawCommand(), listCommand()])
    plan.addCommand(withServerOptions(command))
  return plan
}

type PlanOptions = GlobalOptions & ServerUrlOptions & { readonly json?: boolean }
type SetOptions = { readonly project?: string; readonly suite?: string }

const jsonOption = (): Option => new Option('--json', 'print the answer of the service as JSON')
const setOptions = (): readonly Option[] => [
  new Option('--project <name>', 'the project of the suite'),
  new Option('--suite <name>', 'the name of the suite'),
]

const Plan = z.looseObject({
  id: z.string(),
  project: z.string(),
  suite: z.string(),
  plan_sha256: z.string(),
  plan_bytes: z.number().nullable(),
  comparator: z.string().nullable(),
  threshold: z.number().nullable(),
  case_count: z.number().nullable(),
  registered_at: z.string(),
  withdrawn_at: z.string().nullable(),
  attempts: z.number(),
})
type Plan = z.infer<typeof Plan>

type RegisterOptions = PlanOptions &
  SetOptions & {
    readonly path: string
    readonly digestOnly?: boolean
    readonly configDigest?: string
    readonly passRate?: Bar
    readonly cases?: number
  }

const registerCommand = (): Command => {
  const command = runsCommandNamed('register')
    .description('register the text of a file as the plan of runs to come, and print the id of the plan')
    .argument('<file>', 'the plan: any text of at most 64 KiB')
    .option('--digest-only', 'send only the SHA-256 of the file; "ers plan reveal" sends the text later')
    .option('--path <path>', 'the suite: its file or its folder, unless --project and --suite name it', '.')
  for (const option of setOptions()) command.addOption(option)
  return command
    .option('--config-digest <digest>', 'new runs of the suite with this configuration digest follow the plan')
    .option('--pass-rate <bar>', 'the pass rate to reach, such as ">=0.9" or ">0.95"', parseBar)
    .option('--cases <n>', 'the number of cases of a complete run', wholeNumber(1))
    .addOption(jsonOption())
    .action((file: string, options: RegisterOptions) =>
      runCommand(options, async ({ signal }) => {
        const server = requiredServer(options, process.env, signal)
        const set = await namedSuite(options)
        const text = readPlan(file)
        const { passRate, cases } = options
        const plan = await post(server, '/plans', {
          ...set,
          ...(options.digestOnly === true
            ? { plan_sha256: createHash('sha256').update(text).digest('hex') }
            : { text }),
          ...(options.configDigest === undefined ? {} : { config_digest: options.configDigest }),
          ...(passRate === undefined ? {} : { metric: 'pass_rate', ...passRate }),
          ...(cases === undefined ? {} : { case_count: cases }),
        })
        if (options.json === true) return print(`${printable(JSON.stringify(plan))}\n`)
        note(`registered for ${plan.project}/${plan.suite}: SHA-256 ${plan.plan_sha256}`)
        return print(`${printable(plan.id)}\n`)
      }),
    )
}

const revealCommand = (): Command =>
  runsCommandNamed('reveal')
    .description('send the text of a plan that was registered with --digest-only')
    .argument('<id>', 'the plan')
    .argument('<file>', 'the file that was registered, byte for byte')
    .addOption(jsonOption())
    .action((id: string, file: string, options: PlanOptions) =>
      runCommand(options, async ({ signal }) => {
        const server = requiredServer(options, process.env, signal)
        const plan = await post(server, `${planPath(id)}/reveal`, { text: readPlan(file) })
        if (options.json === true) return print(`${printable(JSON.stringify(plan))}\n`)
        note(`the text of ${plan.id} is revealed: ${plan.plan_bytes} bytes, SHA-256 ${plan.plan_sha256}`)
        return 0
      }),
    )

const withdrawCommand = (): Command =>
  runsCommandNamed('withdraw')
    .description('withdraw a plan: later runs do not follow it')
    .argument('<id>', 'the plan')
    .addOption(jsonOption())
    .action((id: string, options: PlanOptions) =>
      runCommand(options, async ({ signal }) => {
        const server = requiredServer(options, process.env, signal)
        const plan = await post(server, `${planPath(id)}/withdraw`)
        if (options.json === true) return print(`${printable(JSON.stringify(plan))}\n`)
        note(`${plan.id} was withdrawn at ${plan.withdrawn_at}`)
        return 0
      }),
    )

type ListOptions = PlanOptions & SetOptions

const listCommand = (): Command => {
  const command = runsCommandNamed('list').description('list plans, the newest first')
  for (const option of setOptions()) command.addOption(option)
  return command.addOption(jsonOption()).action((options: ListOptions) =>
    runCommand(options, async ({ signal }) => {
      const server = requiredServer(options, process.env, signal)
      const plans = await listPlans(server, options)
      if (options.json === true) return print(`${printable(JSON.stringify(plans))}\n`)
      return print(plans.map((plan) => `${printable(planText(plan))}\n`).join(''))
    }),
  )
}

const PlanPage = z.object({ plans: z.array(Plan), next_cursor: z.string().nullable() })

const listPlans = async (server: EngineServer, { project, suite }: SetOptions): Promise<Plan[]> => {
  const pages = listPages(async (cursor) => {
    const page = await readJson(server, PlanPage, `/plans?${queryText({ project, suite, cursor, limit: 200 })}`)
    if (page === null) throw new HarnessError(`${server.client.url} knows no plans`)
    return page
  })
  return (await Array.fromAsync(pages, ({ plans }) => plans)).flat()
}

const planText = ({ id, project, suite, registered_at, attempts, ...plan }: Plan): string =>
  [
    id,
    `${project}/${suite}`,
    registered_at,
    counted(attempts, 'run'),
    ...(plan.comparator === null ? [] : [`pass rate ${plan.comparator} ${plan.threshold}`]),
    ...(plan.case_count === null ? [] : [counted(plan.case_count, 'case')]),
    ...(plan.plan_bytes === null ? ['text not revealed'] : []),
    ...(plan.withdrawn_at === null ? [] : [`withdrawn at ${plan.withdrawn_at}`]),
  ].join('  ')

const print = async (text: string): Promise<0> => {
  await writeStdout(text)
  return 0
}

const planPath = (id: string): string => `/plans/${encodeURIComponent(id)}`

/** The statuses with which the service refuses what the caller gave it. */
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 409, 413, 422])

/**
 * Posts and returns the plan of the answer. A registration is not tried again, because the first one may have been
 * recorded. Throws `UsageError` for a refusal, `HarnessError` if the service fails.
 */
const post = async (server: EngineServer, path: string, body?: object): Promise<Plan> => {
  const init =
    body === undefined
      ? { method: 'POST' }
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const answer = async (response: Response): Promise<Plan> => {
    const { status } = response
    if (REFUSALS.has(status)) throw new UsageError(`${server.client.url}: ${await errorText(response)}`)
    if (status !== 200 && status !== 201) throw await unexpected(server, response)
    return readAnswer(response, Plan)
  }
  if (path !== '/plans') return send(server, path, init, answer)
  try {
    const signal = AbortSignal.any([server.signal, server.deadline()])
    return await server.client.once(path, { ...init, signal }, answer)
  } catch (error) {
    if (error instanceof TransientError)
      throw new HarnessError(`${error.message}; "ers plan list" shows whether the plan is registered`, { cause: error })
    throw error
  }
}

/** The suite that the options name, else the one at a path. Throws `UsageError`. */
const namedSuite = async ({ project, suite, path }: RegisterOptions): Promise<SuiteName> => {
  if (project !== undefined && suite !== undefined) return { project, suite }
  if (project !== undefined || suite !== undefined) throw new UsageError('give --project and --suite, or neither')
  return suiteNameOf(path, 'a plan')
}

/** The text of a file. Throws `UsageError` if the file cannot be read or is not in UTF-8. */
const readPlan = (file: string): string => {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`, { cause: error })
  }
  // Bytes that are no UTF-8 could not be sent as text, so such a plan could never be revealed.
  if (!isUtf8(bytes)) throw new UsageError(`${file} is not text in UTF-8`)
  return bytes.toString()
}

type Bar = { readonly comparator: '>=' | '>'; readonly threshold: number }

const parseBar = (text: string): Bar => {
  const [, comparator, digits = ''] = /^(>=|>)\s*(\d+(?:\.\d+)?)$/.exec(text.trim()) ?? []
  const threshold = Number(digits)
  if ((comparator !== '>=' && comparator !== '>') || threshold > 1)
    throw new InvalidArgumentError('It must be ">=" or ">" and a number from 0 to 1, such as ">=0.9".')
  return { comparator, threshold }
}
