/** The file that the schema hint of a written suite names. `ers schema config > suite.schema.json` makes it. */
const SCHEMA_FILE = 'suite.schema.json'

/** The first lines of a written suite: editors with a YAML language server read them. */
export const SCHEMA_HINT = `# yaml-language-server: $schema=${SCHEMA_FILE}\n# (for completion in editors: npx ers schema config > ${SCHEMA_FILE})\n`
