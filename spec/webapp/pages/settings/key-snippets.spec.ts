import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { KEY_SNIPPETS } from '../../../../webapp/pages/settings/key-snippets.ts'

const ORIGIN = 'https://evals.example.com'
const HOSTILE = `it's "$(rm)" \\ ü/&?`
const code = (name: string, key: { scope: 'read' | 'write'; project: string | null; suite: string | null }): string =>
  KEY_SNIPPETS[name]?.code(ORIGIN, key) ?? ''

describe.each(Object.keys(KEY_SNIPPETS))('the example for %s', (name) => {
  it('names the service and reads the key from a variable', () => {
    for (const scope of ['read', 'write'] as const) {
      const text = code(name, { scope, project: null, suite: null })
      expect(text).toContain(ORIGIN)
      expect(text).toContain('SERVICE_TOKEN')
    }
  })

  it('imports into the project and suite to which the key is limited', () => {
    const text = code(name, { scope: 'write', project: 'support-desk', suite: 'refunds' })
    expect(text).toContain('support-desk')
    expect(text).toContain('refunds')
    expect(code(name, { scope: 'read', project: 'support-desk', suite: 'refunds' })).not.toContain('support-desk')
  })
})

it('names of any text stay one argument of the shell and one text of the other languages', () => {
  const key = { scope: 'write', project: HOSTILE, suite: HOSTILE } as const
  const line = code('curl', key)
  const query = new URL(/'(https:[^']*)'$/.exec(line)?.[1] ?? '').searchParams
  expect([query.get('project'), query.get('suite'), query.get('name')]).toEqual([HOSTILE, HOSTILE, 'results.json'])
  expect(parse(code('github', key))).toMatchObject([{ with: { project: HOSTILE, suite: HOSTILE } }])
  const { evals } = parse(code('gitlab', key)) as { evals: { script: string[] } }
  expect(evals.script.map((command) => command.trim())).toEqual([line])
  for (const name of ['python', 'typescript']) expect(code(name, key)).toContain(JSON.stringify(HOSTILE))
})
