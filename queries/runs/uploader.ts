import { sql, type Fragment } from '../../storage/sql.ts'

/** `uploaded_by` as SQL, for rows of `runs`: the current label of the uploader. */
export const UPLOADER: Fragment = sql.fragment`
  (SELECT label FROM principals WHERE principals.id = runs.uploaded_by) AS uploaded_by`
