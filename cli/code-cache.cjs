// Runs the files of the built service, with the code that V8 compiled at an earlier start. Node's own compile cache holds
// what a file compiles at once, but not its functions. It takes V8 a quarter of a start to compile those again.
// CommonJS, because V8 makes and takes such a cache for scripts, not for modules. Built-in modules only.
const { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join } = require('node:path')
const { Script } = require('node:vm')
const { threadId } = require('node:worker_threads')
const { crc32 } = require('node:zlib')

/** How long after its start an isolate keeps what it has compiled: long enough for the first requests. */
const KEEP_AFTER_MS = 3000

/** How long the code of another build is kept: checkouts that are compared may share their packages. */
const OTHERS_MS = 24 * 60 * 60 * 1000

/** Next to the packages, not in a folder that others may write. Without write access the service runs without it. */
const FOLDER = join(__dirname, '../node_modules/.cache/code')

const outside = createRequire(__filename)
/** By the name of a file: its module, and its script as long as that may be kept. */
const modules = new Map()
const scripts = new Map()

/**
 * The compiled code of an entry by the name of its files, empty if there is none. The file is: CRC-32 of the rest, length
 * of an index, the index as JSON (name and length of each code), the codes. V8 rejects what another version or other
 * options made.
 */
const readCodes = (path) => {
  const codes = new Map()
  let bytes
  try {
    bytes = readFileSync(path)
  } catch {
    return codes
  }
  if (bytes.length < 8 || bytes.readUInt32LE(0) !== crc32(bytes.subarray(4))) return codes
  let from = 8 + bytes.readUInt32LE(4)
  for (const [name, length] of JSON.parse(bytes.toString('utf8', 8, from))) {
    codes.set(name, bytes.subarray(from, from + length))
    from += length
  }
  return codes
}

/**
 * Writes the compiled code of an entry: that of an earlier start, and what ran in this one. Removes that of old builds.
 * The file appears whole or not at all.
 */
const keepCodes = (entry, path, earlier) => {
  for (const [name, script] of scripts) earlier.set(name, script.createCachedData())
  const codes = [...earlier]
  const index = Buffer.from(JSON.stringify(codes.map(([name, { length }]) => [name, length])))
  const head = Buffer.alloc(8)
  head.writeUInt32LE(index.length, 4)
  const bytes = Buffer.concat([head, index, ...codes.map(([, code]) => code)])
  bytes.writeUInt32LE(crc32(bytes.subarray(4)))
  const written = `${path}.${process.pid}.${threadId}`
  try {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(written, bytes)
    renameSync(written, path)
    for (const name of readdirSync(FOLDER)) {
      const other = join(FOLDER, name)
      if (name.startsWith(`${entry}.`) && statSync(other).mtimeMs < Date.now() - OTHERS_MS)
        rmSync(other, { force: true })
    }
  } catch {
    // The next start compiles again.
    try {
      rmSync(written, { force: true })
    } catch {
      // A folder of another user, in which nothing was written.
    }
  }
}

/** Runs a file of the build, and returns what it exports. A file that is required twice runs once. */
const run = (name, codes) => {
  const known = modules.get(name)
  if (known) return known.exports
  const module = { exports: {} }
  modules.set(name, module)
  const filename = join(__dirname, name)
  // The build has made a function of it.
  const script = new Script(readFileSync(filename, 'utf8'), { filename, cachedData: codes.get(name) })
  scripts.set(name, script)
  if (script.cachedDataRejected !== false) codes.incomplete = true
  const require = (id) => (id.startsWith('./') ? run(id.slice(2), codes) : outside(id))
  script.runInThisContext().call(module.exports, module.exports, require, module, filename, __dirname)
  return module.exports
}

/**
 * Runs the entry `<entry>.<hash>.code.cjs` of the build, and returns what it exports. The name of each file has a hash of
 * its content, so its compiled code is never that of another content.
 */
exports.runEntry = (entry, file) => {
  const path = join(FOLDER, `${file.replace('.code.cjs', '')}-${process.version}-${process.arch}`)
  const codes = readCodes(path)
  const exported = run(file, codes)
  setTimeout(() => {
    if (codes.incomplete) keepCodes(entry, path, codes)
    codes.clear()
    scripts.clear()
  }, KEEP_AFTER_MS).unref()
  return exported
}
