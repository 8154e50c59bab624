import { search } from '../../../projections/search.ts'

// Loaded into every thread of a server before its own code: makes it a build whose read model `search` is of a newer
// version.

Object.assign(search, { version: search.version + 1 })
