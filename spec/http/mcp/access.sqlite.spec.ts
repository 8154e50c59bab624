import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuthMode } from '../../../http/services.ts'
import { ask, callTool, ENDLESS, MCP, post, type McpMessage } from '../../support/http/mcp.ts'
import { HIDDEN, hiddenRun, OPEN_RUN } from '../../support/access/access-rules.ts'
import { aCase } from '../../support/documents/documents.ts'
import { openApp, type Send, type SpecApp, type SpecUser } from '../../support/servers/app.ts'

// Every kind of caller in every mode: which methods it may use, and what each tool shows of a restricted project.

const MODES: readonly AuthMode[] = ['open', 'protect-writes', 'closed']
const KEY = aCase().case_key
const JSON_TYPE = { 'content-type': 'application/json' }

type CallerKind = {
  readonly name: string
  readonly isKnown: boolean
  readonly sees: boolean
  readonly send: (spec: SpecApp, world: World) => Send
}
type World = Readonly<Record<'member' | 'granted' | 'admin' | 'viewer' | 'disabled' | 'key' | 'grantedKey', string>>

const withToken =
  (pick: (world: World) => string): CallerKind['send'] =>
  (spec, world) =>
    spec.sendWithToken(pick(world))

const CALLERS: readonly CallerKind[] = [
  { name: 'no credential', isKnown: false, sees: false, send: (spec) => spec.sendAs(null) },
  { name: 'an unknown token', isKnown: false, sees: false, send: (spec) => spec.sendWithToken('unknown') },
  { name: 'a disabled account', isKnown: false, sees: false, send: withToken(({ disabled }) => disabled) },
  { name: 'a read token', isKnown: true, sees: false, send: (spec) => spec.sendAs('read') },
  { name: 'a write token', isKnown: true, sees: false, send: (spec) => spec.sendAs('write') },
  { name: 'an admin token', isKnown: true, sees: true, send: (spec) => spec.sendAs('admin') },
  { name: 'a session of a viewer', isKnown: true, sees: false, send: withToken(({ viewer }) => viewer) },
  { name: 'a session of a member', isKnown: true, sees: false, send: withToken(({ member }) => member) },
  { name: 'a session of an admin', isKnown: true, sees: true, send: withToken(({ admin }) => admin) },
  { name: 'a session with a grant', isKnown: true, sees: true, send: withToken(({ granted }) => granted) },
  { name: 'a read key', isKnown: true, sees: false, send: withToken(({ key }) => key) },
  { name: 'a read key with a grant', isKnown: true, sees: true, send: withToken(({ grantedKey }) => grantedKey) },
  {
    name: 'the cookie of a session with a grant',
    isKnown: true,
    sees: true,
    send:
      (spec, { granted }) =>
      (method, path, { headers = {}, ...rest } = {}) =>
        spec.sendAs(null)(method, path, { ...rest, headers: { ...headers, cookie: `service_session=${granted}` } }),
  },
]

/** Calls whose answers show the hidden run, or that it exists. */
const CALLS: ReadonlyArray<readonly [tool: string, given: McpMessage]> = [
  ['find_runs', {}],
  ['find_runs', { project: HIDDEN.project }],
  ['find_runs', { group_by: 'project' }],
  ['find_runs', { group_by: 'suite', project: HIDDEN.project }],
  ['get_run', { run_id: 'covert' }],
  ['get_run', { run_id: 'covert', include: ['matrix', 'config'] }],
  ['get_run', { run_id: 'covert', include: ['leaderboard'] }],
  ['list_cases', { run_id: 'covert' }],
  ['get_case', { run_id: 'covert', case_key: KEY }],
  ['case_history', { ...HIDDEN, case_key: KEY }],
  ['compare_runs', { base_run_id: 'covert', head_run_id: 'seen', delta: ['still_passing'] }],
  ['compare_runs', { base_run_id: 'seen', head_run_id: 'covert', delta: ['still_passing'] }],
  ['compare_runs', { base_run_id: 'seen', head_run_id: 'covert', base_column: 'model' }],
  ['compare_runs', { base_run_id: 'seen', head_run_id: 'covert', by: 'tag' }],
  ['search', { q: 'clandestine' }],
]

describe.each(MODES)('in the mode %s', (mode) => {
  let spec: SpecApp
  let world: World
  beforeAll(async () => {
    spec = await openApp({ mode, mcp: MCP, parts: () => ({ callBudget: ENDLESS }) })
    for (const run of [OPEN_RUN, hiddenRun('covert')]) expect((await spec.ingest(run)).statusCode).toBe(201)
    await spec.restrict(HIDDEN.project)
    const [member, granted, viewer, disabled, admin] = [
      await spec.addUser('member'),
      await spec.addUser('granted'),
      await spec.addUser('viewer', 'viewer'),
      await spec.addUser('disabled'),
      await spec.addUser('admin', 'admin'),
    ]
    await spec.grant('granted', 'view', HIDDEN.project)
    const mint = async ({ send }: SpecUser): Promise<string> => {
      const body = { name: 'agent', scope: 'read' }
      const { key } = (await send('POST', '/apikeys', { headers: JSON_TYPE, body })).json<{ key: string }>()
      return key
    }
    world = {
      member: member.token,
      granted: granted.token,
      viewer: viewer.token,
      admin: admin.token,
      disabled: disabled.token,
      key: await mint(member),
      grantedKey: await mint(granted),
    }
    await spec.sendAs('admin')('PATCH', '/users/disabled', { headers: JSON_TYPE, body: { disabled: true } })
  })
  afterAll(() => spec.close())

  describe.each(CALLERS)('$name', ({ isKnown, sees, send: sender }) => {
    const isAdmitted = isKnown || mode !== 'closed'

    it('may use every method but tools/call', async () => {
      const send = sender(spec, world)
      for (const [method, params] of [
        ['initialize', {}],
        ['ping', {}],
        ['server/discover', {}],
        ['tools/list', {}],
        ['prompts/list', {}],
        ['prompts/get', { name: 'summarize_run', arguments: { run_id: 'covert' } }],
      ] as const)
        expect([method, (await ask(send, method, params)).status]).toEqual([method, 200])
      expect((await post(send, JSON.stringify({ method: 'notifications/initialized' }))).status).toBe(202)
    })

    it(isAdmitted ? 'may call tools' : 'may not call tools', async () => {
      for (const name of ['find_runs', 'no_such_tool', undefined]) {
        const { status, message, headers } = await ask(sender(spec, world), 'tools/call', { name })
        if (isAdmitted) expect(status).toBe(200)
        else
          expect([status, headers['www-authenticate'], message]).toEqual([
            401,
            'Bearer realm="service"',
            { jsonrpc: '2.0', id: 1, error: { code: -31001, message: 'authentication required' } },
          ])
      }
    })

    if (!isAdmitted) return
    it.each(CALLS)(`%s %j ${sees ? 'shows' : 'does not show'} the restricted project`, async (tool, given) => {
      const send = sender(spec, world)
      const { data, text, isError } = await callTool(send, tool, given)
      const shown = JSON.stringify([data, text])
      if (sees) return expect([isError, shown]).toEqual([false, expect.stringMatching(/secret|covert|clandestine/)])
      // Nothing but the names that the caller gave, and the same answer as for a name that does not exist.
      const renamed = (value: unknown) =>
        JSON.parse(JSON.stringify(value).replaceAll('covert', 'coverd').replaceAll('secret', 'secreg')) as never
      const absent = await callTool(send, tool, renamed(given))
      expect([renamed(data), renamed(text), isError]).toEqual([absent.data, absent.text, absent.isError])
      if (tool !== 'search') expect(shown).not.toContain('clandestine')
      if (!JSON.stringify(given).includes('secret')) expect(shown).not.toContain('vault')
    })
  })
})
