import { describe, expect, it } from 'vitest'
import { errorsOf, load, MINIMAL } from '../../../support/suites/suite-folder.ts'

const EXEC = 'type: exec, command: [x]'
const MODEL = 'type: openai, model: m'
const EMBEDDINGS = 'type: embeddings, model: m'
const providers = (...entries: readonly string[]): string =>
  `version: 1\nproviders:\n${entries.map((entry) => `  - {${entry}}\n`).join('')}`

const warningsOf = async (text: string): Promise<string[]> =>
  (await load(text)).warnings.map(({ path, message }) => `${path}: ${message}`)

describe('the check of a suite', () => {
  it.each([
    ['no provider', 'version: 1\nproviders: []', 'providers: expected a list of at least 1 entry'],
    [
      'a provider id twice',
      providers(`id: a, ${EXEC}`, `id: a, ${EXEC}`),
      'providers[1].id: the provider id `a` is used twice; first in providers[0]',
    ],
    [
      'a prompt id twice',
      `${MINIMAL}prompts: [{id: p, template: t}, {id: p, template: t}]`,
      'prompts[1].id: the prompt id `p` is used twice; first in prompts[0]',
    ],
    [
      'a weight below 0',
      `${MINIMAL}tests: [{assert: [{type: contains, value: x, weight: 2}, {type: contains, value: y, weight: -1}]}]`,
      'tests[0].assert[1].weight: expected a number of at least 0, got -1',
    ],
    [
      'a weight below 0 in the defaults',
      `${MINIMAL}defaults: {assert: [{type: is-json, weight: -0.5}]}`,
      'defaults.assert[0].weight: expected a number of at least 0, got -0.5',
    ],
    [
      'a weight whose sums overflow',
      `${MINIMAL}tests: [{assert: [{type: contains, value: x, weight: 1.0e308}]}]`,
      'tests[0].assert[0].weight: expected a number of at most 1000000000, got 1e+308',
    ],
    [
      'an unknown fallback',
      providers(`id: aa, ${EXEC}, fallback: [ab]`),
      'providers[0].fallback[0]: no provider has the id `ab`; configured: `aa`; did you mean `aa`?',
    ],
    [
      'a fallback to itself',
      providers(`id: a, ${EXEC}, fallback: [a]`),
      'providers[0].fallback[0]: `a` falls back to itself',
    ],
    [
      'a fallback to embeddings',
      providers(`id: a, ${EXEC}, fallback: [e]`, `id: e, ${EMBEDDINGS}`),
      'providers[0].fallback[0]: `e` is of type `embeddings`',
    ],
    [
      'embeddings with a fallback',
      providers(`id: a, ${EXEC}`, `id: e, ${EMBEDDINGS}, fallback: [a]`),
      'providers[1].fallback: a provider of type `embeddings`',
    ],
    [
      'embeddings as fallback_only',
      providers(`id: a, ${EXEC}`, `id: e, ${EMBEDDINGS}, fallback_only: true`),
      'providers[1].fallback_only: a provider of type `embeddings`',
    ],
    [
      'only fallbacks',
      providers(`id: a, ${EXEC}, fallback_only: true`, `id: e, ${EMBEDDINGS}`),
      'providers: every provider is `fallback_only`',
    ],
    [
      'a path without slash',
      providers(`id: a, ${MODEL}, request: {path: v1}`),
      'providers[0].request.path: expected a path that starts with a slash, got "v1"',
    ],
    [
      'a path without slash of a judge',
      `${MINIMAL}grader: {provider: {${MODEL}, request: {path: v1}}}`,
      'grader.provider.request.path: expected a path',
    ],
    [
      'a path without slash of a judge of a test',
      `${MINIMAL}tests: [{assert: [{type: llm-rubric, value: v, grader: {provider: {${MODEL}, request: {path: v}}}}]}]`,
      'tests[0].assert[0].grader.provider.request.path: expected a path',
    ],
    [
      'an unknown key of a grader provider',
      `${MINIMAL}grader: {provider: {${MODEL}, id: x}}`,
      'grader.provider.id: unknown key `id`',
    ],
    [
      'an unknown verdict mode',
      `${MINIMAL}grader: {provider: {${MODEL}}, verdict_mode: auto}`,
      'grader.verdict_mode: unknown verdict_mode `auto`; accepted: `forced`',
    ],
    [
      'an unknown verdict mode of a test',
      `${MINIMAL}tests: [{assert: [{type: llm-rubric, value: v, grader: {provider: {${MODEL}}, verdict_mode: auto}}]}]`,
      'tests[0].assert[0].grader.verdict_mode: ',
    ],
    [
      'a bad pattern',
      `${MINIMAL}runner: {refusal_patterns: [ok, "(a"]}`,
      'runner.refusal_patterns[1]: invalid regex /(a/: ',
    ],
    ['look-around', `${MINIMAL}runner: {refusal_patterns: ["(?=a)"]}`, 'runner.refusal_patterns[0]: invalid regex'],
    [
      'a prompt without content',
      `${MINIMAL}prompts: [{id: p}]`,
      'prompts[0]: a prompt needs a `template` or `messages`',
    ],
    [
      'a prompt with both',
      `${MINIMAL}prompts: [{id: p, template: t, messages: [history]}]`,
      'prompts[0]: a prompt has either `template` or `messages`, not both',
    ],
    [
      'an empty list of messages',
      `${MINIMAL}prompts: [{id: p, messages: []}]`,
      'prompts[0].messages: a conversation needs at least one turn',
    ],
    [
      'two markers',
      `${MINIMAL}prompts: [{id: p, messages: [history, history]}]`,
      'prompts[0].messages[1]: the marker `history` may occur once',
    ],
    [
      'an unknown marker',
      `${MINIMAL}prompts: [{id: p, messages: [histroy]}]`,
      'prompts[0].messages[0]: unknown bare message `histroy`; accepted: `history`',
    ],
    [
      'an empty turn',
      `${MINIMAL}prompts: [{id: p, messages: [{role: user}]}]`,
      'prompts[0].messages[0]: a turn needs `content` or `tool_calls`',
    ],
    [
      'tool calls in a turn of the user',
      `${MINIMAL}defaults: {history: [{role: user, tool_calls: [{name: t}]}]}`,
      'defaults.history[0].tool_calls: only an `assistant` turn calls tools',
    ],
    [
      '`tool_call_id` in a turn of the user',
      `${MINIMAL}tests: [{history: [{role: user, content: c, tool_call_id: i}]}]`,
      'tests[0].history[0].tool_call_id: only a `tool` turn answers a call',
    ],
    [
      'a history that is no reference',
      `${MINIMAL}tests: [{history: turns.yaml}]`,
      'tests[0].history: expected a list of turns or a `file://` reference',
    ],
    [
      'expect_fail in defaults',
      `${MINIMAL}defaults: {expect_fail: true}`,
      'defaults.expect_fail: unknown key `expect_fail` in the defaults block',
    ],
    ['an empty axis', `${MINIMAL}tests: [{matrix: {a: []}}]`, 'tests[0].matrix.a: expected a list of at least 1 entry'],
    ['an axis that is no list', `${MINIMAL}tests: [{matrix: {a: 1}}]`, 'tests[0].matrix.a: expected a list, got 1'],
    [
      'an interpolated number',
      `${providers(`id: a, ${EXEC}, timeout_ms: "\${env:T:-5}"`)}`,
      'providers[0].timeout_ms: expected a whole number of at least 1, got the string "5"',
    ],
    [
      'a misspelled assertion',
      `${MINIMAL}tests: [{assert: [{type: not-contians, value: x}]}]`,
      'tests[0].assert[0].type: unknown type of an assertion: the string "not-contians"',
    ],
    [
      'retries without max',
      `${MINIMAL}runner: {retries: {jitter: true}}`,
      'runner.retries: the key `max` is missing in the retries block',
    ],
    ['a null', 'version: 1\nproviders:', 'providers: expected a list, got null (leave the key out for its default)'],
    [
      'a schema that is no mapping',
      `${MINIMAL}tests: [{assert: [{type: contains-json, schema: x}]}]`,
      'tests[0].assert[0].schema: expected a mapping or true or false, got a string',
    ],
    [
      'a weight that no double holds',
      `${MINIMAL}tests: [{threshold: 1e400, assert: [{type: is-json, weight: 1e400}]}]`,
      'tests[0].assert[0].weight: expected a number, got 1e400, which no double holds',
    ],
  ])('refuses %s', async (_, text, message) => expect((await errorsOf(load(text))).join('\n')).toContain(message))

  it('checks on after a provider that it refuses, and still knows its id', async () =>
    expect(
      await errorsOf(load(`${providers(`id: a, ${EXEC}, fallback: [b]`, `id: b, type: exec`)}prompts: [{id: p}]`)),
    ).toEqual([
      'providers[1]: the key `command` is missing in a provider of type `exec`',
      'prompts[0]: a prompt needs a `template` or `messages`',
    ]))

  it.each([
    [
      'a fallback that is never asked',
      providers(`id: a, ${EXEC}`, `id: b, ${EXEC}, fallback_only: true`),
      ['providers[1].fallback_only: `b` is `fallback_only`, but no provider falls back to it'],
    ],
    [
      'a fallback named twice',
      providers(`id: a, ${EXEC}, fallback: [b, b]`, `id: b, ${EXEC}`),
      ['providers[0].fallback[1]: `b` is named twice'],
    ],
    [
      'a chain of fallbacks',
      providers(`id: a, ${EXEC}, fallback: [b]`, `id: b, ${EXEC}, fallback: [a]`),
      [
        'providers[0].fallback[0]: `b` has a `fallback` of its own, which is not followed from here',
        'providers[1].fallback[0]: `a` has a `fallback` of its own, which is not followed from here',
      ],
    ],
    [
      'a blank turn',
      `${MINIMAL}prompts: [{id: p, messages: [{role: user, content: " "}]}]`,
      ['prompts[0].messages[0].content: the turn is blank'],
    ],
    [
      'a marked test that asserts nothing',
      `${MINIMAL}tests: [{expect_fail: true}, {expect_fail: false}]`,
      ['tests[0]: marked expect_fail but asserts nothing'],
    ],
    [
      'an id twice',
      `${MINIMAL}tests: [{id: a}, {id: b}, {id: a}]`,
      ['tests[2].id: the id `a` is used twice: in tests[0] and in tests[2]; their results replace each other'],
    ],
  ])('warns of %s', async (_, text, warnings) => expect(await warningsOf(text)).toEqual(warnings))

  it.each([
    [
      'a marked test with default assertions',
      `${MINIMAL}defaults: {assert: [{type: is-json}]}\ntests: [{expect_fail: true}]`,
    ],
    [
      'an empty turn of an assistant with calls',
      `${MINIMAL}prompts: [{id: p, messages: [history, {role: assistant, content: "", tool_calls: [{name: t}]}]}]`,
    ],
  ])('does not warn of %s', async (_, text) => expect(await warningsOf(text)).toEqual([]))

  const START = '; most vendors want a conversation to start with `user`'
  it.each([
    ['no prompts', '', true],
    ['a template', 'prompts: [{id: p, template: t}]', true],
    ['messages without marker', 'prompts: [{id: p, messages: [{role: user, content: c}]}]', true],
    ['a marker after system turns', 'prompts: [{id: p, messages: [{role: system, content: c}, history]}]', true],
    ['a marker after a user turn', 'prompts: [{id: p, messages: [{role: user, content: c}, history]}]', false],
  ])('warns of a history that starts with an assistant, with %s: %s', async (_, prompts, warns) =>
    expect(
      await warningsOf(
        `${MINIMAL}${prompts}\ntests: [{history: [{role: system, content: s}, {role: assistant, content: a}]}]`,
      ),
    ).toEqual(warns ? [`tests[0].history[1]: the history starts with a turn of the role \`assistant\`${START}`] : []),
  )
})
