import type { AuthoredTurn } from '../shape/prompt-shape.ts'
import { PROGRAM_TIMEOUT_MS } from '../shape/provider-shape.ts'
import type { AuthoredDefaults, AuthoredGenerator, AuthoredTest } from '../shape/test-shape.ts'
import type { Defaults, History, TestSource, TestSpec, Turn } from '../suite.ts'
import { buildAssertion } from './build-assertion.ts'

/** Returns an accepted turn. Arguments of tool calls that are not given are null. */
export const buildTurn = ({ tool_calls, ...turn }: AuthoredTurn): Turn =>
  tool_calls === undefined
    ? turn
    : { ...turn, tool_calls: tool_calls.map((call) => ({ ...call, arguments: call.arguments ?? null })) }

const buildHistory = (history: readonly AuthoredTurn[] | string): History =>
  typeof history === 'string' ? history : history.map(buildTurn)

/** Returns an accepted test with its defaults. `expect_fail: false` is left out. */
export const buildTest = ({
  tags = [],
  vars = {},
  assert = [],
  history,
  expect_fail,
  ...rest
}: AuthoredTest): TestSpec => ({
  ...rest,
  tags,
  vars,
  assert: assert.map(buildAssertion),
  ...(history === undefined ? {} : { history: buildHistory(history) }),
  ...(expect_fail === undefined || expect_fail === false ? {} : { expect_fail }),
})

export const buildDefaults = ({ tags = [], vars = {}, assert = [], history, ...rest }: AuthoredDefaults): Defaults => ({
  ...rest,
  tags,
  vars,
  assert: assert.map(buildAssertion),
  ...(history === undefined ? {} : { history: buildHistory(history) }),
})

export const buildTestSource = (authored: string | AuthoredGenerator | AuthoredTest): TestSource => {
  if (typeof authored === 'string') return { kind: 'files', glob: authored }
  if (!('generator' in authored)) return { kind: 'inline', test: buildTest(authored) }
  const { command, config = {}, pass_env, timeout_ms = PROGRAM_TIMEOUT_MS } = authored.generator
  return {
    kind: 'generator',
    command,
    config,
    ...(pass_env === undefined ? {} : { pass_env }),
    timeout_ms,
  }
}
