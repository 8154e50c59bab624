/** The file that the schema hint of a written suite names: the JSON Schema that `ers schema config` prints. */
export const SCHEMA_FILE = 'suite.schema.json'

/** The first line of a written suite: editors with a YAML language server read it. */
export const SCHEMA_HINT = `# yaml-language-server: $schema=${SCHEMA_FILE}\n`

/** How to make the schema, for a suite that is printed without it. */
export const SCHEMA_MAKING = `# For completion in editors, make the file that the first line names: ers schema config > ${SCHEMA_FILE}\n`
