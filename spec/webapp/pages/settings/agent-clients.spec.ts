import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { AGENT_CLIENTS } from '../../../../webapp/pages/settings/agent-clients.ts'

const page = readFileSync('docs/agents.md', 'utf8')
const blocks = [...page.matchAll(/```(json|toml)\n(.*?)```/gs)].map(([, language, text = '']) =>
  language === 'json' ? JSON.stringify(JSON.parse(text)) : text.trim(),
)
const URL_OF_DOCS = 'https://evals.example.com/api/v1/mcp'

it.each(Object.values(AGENT_CLIENTS).filter(({ language }) => language !== 'sh'))(
  'the configuration of $label is that of the documentation, in the same file',
  ({ config, file, language }) => {
    const text = config(URL_OF_DOCS, true)
    expect(blocks).toContain(language === 'json' ? JSON.stringify(JSON.parse(text)) : text)
    expect(page).toContain(`\`${file}\``)
  },
)

it.each(Object.values(AGENT_CLIENTS))('$label without a key names no variable', ({ config }) => {
  const [without, withKey] = [config(URL_OF_DOCS, false), config(URL_OF_DOCS, true)]
  expect(without).toContain(URL_OF_DOCS)
  expect(without).not.toMatch(/Bearer|bearer|SERVICE_TOKEN|input/)
  expect(withKey).toMatch(/SERVICE_TOKEN|input:/)
})
