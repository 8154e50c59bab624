import { SCHEMA_HINT } from '../../engine/convert/schema-hint.ts'

/** The suite that `ers init` writes. `command` starts its program. All of its tests pass but one that is marked. */
export const firstSuite = (
  command: readonly string[],
): string => `${SCHEMA_HINT}# The line above gives completion and explanations in editors.

# A suite: providers answer, prompts ask, tests say what a good answer is. This one runs without any key.
version: 1

# The service files its runs under these two names.
project: first-steps
suite: capitals

providers:
  # A program in place of a model. It reads a JSON request and writes a JSON response.
  - id: table
    type: exec
    command: [${command.join(', ')}]
  # A model of a vendor; its key is read from the variable ANTHROPIC_API_KEY:
  # - id: model
  #   type: anthropic
  #   model: claude-haiku-4-5

prompts:
  # Names in double braces are the vars of a test.
  - id: short
    template: "What is the capital of {{ country }}? Answer in one sentence."

# For every test: its own assertions follow these.
defaults:
  assert:
    - { type: length, min: 1, max: 80 }

tests:
  - id: capital/france
    vars: { country: France }
    assert:
      - { type: contains, value: Paris }

  - id: capital/peru
    vars: { country: Peru }
    assert:
      # "not-" in front of a kind: it passes when the plain kind fails.
      - { type: icontains, value: lima }
      - { type: not-contains, value: sorry }

  - id: capital/unknown
    vars: { country: Atlantis }
    assert:
      - { type: regex, value: "(?i)do(n't| not) know" }

  # A known mistake: the run stays green while it fails, and turns red once it is fixed.
  - id: capital/australia
    vars: { country: Australia }
    expect_fail: the table has the largest city
    assert:
      - { type: contains, value: Canberra }
`
