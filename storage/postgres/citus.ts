/** Runs one statement on an open connection. */
type RunQuery = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>

/**
 * The tables that grow with the cases and are read by run, all with `run_no` first in their key. Every other table stays
 * on the coordinator, because it defines an order or a uniqueness over all runs.
 */
export const DISTRIBUTABLE_TABLES = ['document_frames', 'cases', 'matrices', 'matrix_rows', 'run_configs'] as const

/** Whether the database has the extension that distributes tables over several servers. */
export const hasCitus = async (query: RunQuery): Promise<boolean> =>
  (await query("SELECT 1 AS found FROM pg_extension WHERE extname = 'citus'")).length > 0

const DISTRIBUTED =
  "SELECT c.relname AS name FROM pg_dist_partition d JOIN pg_class c ON c.oid = d.logicalrelid WHERE d.partmethod = 'h' AND c.relnamespace = to_regnamespace(quote_ident(current_schema()))"

const namesOf = (rows: ReadonlyArray<{ readonly name: string }>): readonly string[] => rows.map(({ name }) => name)

/** The names of the tables that are distributed now. Needs the extension. */
export const listDistributed = async (query: RunQuery): Promise<readonly string[]> => namesOf(await query(DISTRIBUTED))

/** The distributable ones of them whose rows are still on the coordinator too, after an interruption. Needs the extension. */
export const listWithLocalRows = async (query: RunQuery): Promise<readonly string[]> => {
  const names = namesOf(await query(`${DISTRIBUTED} AND pg_relation_size(c.oid) > 0`))
  return DISTRIBUTABLE_TABLES.filter((table) => names.includes(table))
}
