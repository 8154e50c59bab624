import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { bareEnvironment } from '../../support/bare-environment.ts'
import { PROGRAM } from '../../support/servers/program.ts'

const CAPITALS = fileURLToPath(new URL('capitals.promptfooconfig.yaml', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'ers-convert-'))
afterAll(() => rmSync(folder, { recursive: true }))

const convert = (file: string) =>
  spawnSync(process.execPath, [PROGRAM, 'convert', 'promptfoo', file], { env: bareEnvironment(), encoding: 'utf8' })

describe('ers convert promptfoo', () => {
  it('prints the suite of a configuration, with a note for everything dropped or guessed', () => {
    const { status, stdout, stderr } = convert(CAPITALS)
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^# yaml-language-server: \$schema=\S+\n/)
    expect(stdout).toContain('# NOTE: tests[1].assert[1]: `javascript` was dropped')
    const suite = parse(stdout) as { prompts: unknown; tests: ReadonlyArray<{ assert?: unknown }> }
    expect(suite.prompts).toHaveLength(2)
    expect(suite.tests.map(({ assert }) => assert)).toEqual([
      [
        { type: 'jinja', value: '(country)|lower in output|lower', weight: 2 },
        { type: 'not-contains', value: 'sorry' },
      ],
      undefined,
      [
        { type: 'starts-with', value: 'Bonn is not' },
        { type: 'cost', max: 0.001 },
      ],
      [{ type: 'is-json' }, { type: 'icontains-any', values: ['Norway', 'Norge'] }],
      [{ type: 'contains', value: 'x' }],
      undefined,
    ])
  })

  it('prints a suite that is valid, and runs with a program in place of the one that it names', () => {
    const directory = mkdtempSync(join(folder, 'run-'))
    const ers = (...args: readonly string[]) =>
      spawnSync(process.execPath, [PROGRAM, ...args], { cwd: directory, env: bareEnvironment(), encoding: 'utf8' })
    const converted = convert(CAPITALS).stdout
    writeFileSync(join(directory, 'service.yaml'), converted)
    expect(ers('validate')).toMatchObject({ status: 0, stderr: '' })
    // What a person does next: a program that speaks the protocol.
    writeFileSync(
      join(directory, 'provider.mjs'),
      `let text = ''
      for await (const chunk of process.stdin) text += chunk
      const { vars } = JSON.parse(text)
      const output = vars.city === 'Bonn' ? 'Bonn is not a capital.' : vars.city + ' is in ' + (vars.country ?? 'no country') + '.'
      process.stdout.write(JSON.stringify({ output }))`,
    )
    const { status, stdout } = ers('run', '--format', 'json')
    const { cases } = JSON.parse(stdout) as {
      cases: ReadonlyArray<{ cell: { provider_id: string; prompt_id: string; test_id: string }; status: string }>
    }
    // Six tests, two prompts, two providers. Oslo is no JSON, and no answer about Atlantis has an x.
    const statusOf = (test: string, provider: string, prompt: string): string | undefined =>
      cases.find(({ cell }) => cell.test_id === test && cell.provider_id === provider && cell.prompt_id === prompt)
        ?.status
    expect([status, cases.length]).toEqual([1, 24])
    for (const provider of ['p0', 'p1'])
      for (const prompt of ['file-like', 'chat'])
        expect(
          ['inline/0', 'case-1', 'inline/2', 'case-3', 'case-4', 'case-5'].map((test) =>
            statusOf(test, provider, prompt),
          ),
        ).toEqual(['pass', 'pass', 'pass', 'fail', 'fail', 'pass'])
  })

  it('reads the files of prompts from the folder of the configuration', () => {
    const directory = mkdtempSync(join(folder, 'files-'))
    writeFileSync(join(directory, 'chat.json'), '[{"role": "user", "content": "Hi {{ name }}"}]')
    const config = join(directory, 'promptfooconfig.yaml')
    writeFileSync(config, 'providers: ["openai:m"]\nprompts: [file://chat.json, file://none.txt]\n')
    const { stdout } = convert(config)
    expect((parse(stdout) as { prompts: unknown }).prompts).toEqual([
      { id: 'prompt-0', messages: [{ role: 'user', content: 'Hi {{ name }}' }] },
      { id: 'prompt-1', template: 'file://none.txt' },
    ])
    expect(stdout).toContain('# NOTE: prompts[1]: `none.txt` could not be read')
  })

  it('prints the same for the same configuration in JSON', () => {
    const yaml = join(folder, 'a.yaml')
    const json = join(folder, 'a.json')
    const config = { description: 'd', providers: ['openai:m'], tests: [{ vars: { a: 1 } }] }
    writeFileSync(json, JSON.stringify(config))
    writeFileSync(yaml, 'description: d\nproviders: ["openai:m"]\ntests:\n  - vars: {a: 1}\n')
    const bodyOf = (file: string): string => convert(file).stdout.replace(/^#.*\n/gm, '')
    expect(bodyOf(json)).toBe(bodyOf(yaml))
    expect(bodyOf(json)).toContain('description: d')
  })

  it.each([
    ['is missing', null, 'cannot be read'],
    ['is neither YAML nor JSON', 'a: [', 'is neither YAML nor JSON'],
    ['has a key twice', 'a: 1\na: 2\n', 'is neither YAML nor JSON'],
    ['is no mapping', '[]', 'a promptfoo configuration is a mapping'],
    ['has an alias without its anchor', 'a: *b\n', 'is neither YAML nor JSON'],
    ['has an alias that holds itself', 'a: &a {b: *a}\n', 'is neither YAML nor JSON'],
  ])('exits with 2 if the file %s', (name, text, message) => {
    const file = join(folder, `${name}.yaml`)
    if (text !== null) writeFileSync(file, text)
    const { status, stdout, stderr } = convert(file)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`${file}: `)
    expect(stderr).toContain(message)
  })
})
