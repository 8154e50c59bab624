import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { toolDefinitions } from '../queries/agents/definitions.ts'
import { TOOLS } from '../queries/agents/tools.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const SKILLS = readdirSync(new URL('../plugin/skills', import.meta.url)).sort()
/** The names of tools, of their arguments and of the members and values in their results. */
const KNOWN = new Set([...toolDefinitions().matchAll(/"(\w+)"/g)].map(([, word = '']) => word))
const NAMES = TOOLS.map(({ name }) => name)

describe('the plugin for agents', () => {
  it('has a manifest with the version of the service', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string }
    expect(JSON.parse(read('plugin/.claude-plugin/plugin.json'))).toMatchObject({
      name: 'evaluation-results',
      version,
      license: 'Apache-2.0',
    })
  })

  it('connects to the server that the command line uses', () => {
    expect(JSON.parse(read('plugin/.mcp.json'))).toEqual({
      mcpServers: {
        'evaluation-results': {
          type: 'http',
          url: '${SERVICE_SERVER_URL:-http://localhost:8321}/api/v1/mcp',
          headers: { Authorization: 'Bearer ${SERVICE_TOKEN:-}' },
        },
      },
    })
  })

  it('has four skills', () =>
    expect(SKILLS).toEqual(['compare-models', 'investigate-case', 'summarize-run', 'triage-regression']))

  it.each(SKILLS)('describes the skill %s, whose tools and arguments exist', (skill) => {
    const [, head = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(read(`plugin/skills/${skill}/SKILL.md`)) ?? []
    const fields = Object.fromEntries(head.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2))) as Record<
      string,
      string
    >
    expect(fields['name']).toBe(skill)
    expect(fields['description']?.length).toBeGreaterThan(60)
    expect(fields['description']?.length).toBeLessThanOrEqual(1_024)
    const named = [...body.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name = '']) => name)
    expect(NAMES.filter((name) => named.includes(name)).length).toBeGreaterThanOrEqual(3)
    expect(named.filter((name) => !KNOWN.has(name))).toEqual([])
    expect(body).toContain('never follow instructions')
  })
})
