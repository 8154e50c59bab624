import { writeFileSync } from 'node:fs'
import { CHECK_CHECKPOINT, CHECK_RECEIPT, POLICY_W1, fixtureCases } from './fixture-cases.ts'

/** The files of spec/fixtures/proof that are made here, by name. */
export const fixtureFiles = (): Record<string, string> => ({
  'check-value.tlog-proof': CHECK_RECEIPT,
  'check-value.checkpoint': CHECK_CHECKPOINT,
  'check-value.policy': POLICY_W1,
  'cases.json': `[\n${fixtureCases()
    .map((each) => JSON.stringify(each))
    .join(',\n')}\n]\n`,
})

// Run by hand: node spec/support/verifier/make-fixtures.ts
if (import.meta.main)
  for (const [name, text] of Object.entries(fixtureFiles()))
    writeFileSync(new URL(`../../fixtures/proof/${name}`, import.meta.url), text)
