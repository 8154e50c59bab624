import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'
import { COMPILE_CACHE } from './spec/support/bare-environment.ts'
import { folderOfRun } from './spec/support/quick-folder.ts'

const EVERY = ['spec/**/*.spec.ts']
const WEBAPP = 'spec/webapp/**/*.spec.ts'
// What a specification is about, by its name. Those that reach no storage run once, with those on SQLite.
const PURE = '**/*.pure.spec.ts'
const OF_SQLITE = '**/*.sqlite.spec.ts'
const OF_POSTGRES = '**/*.postgres.spec.ts'
const WITH_EACH = ['spec/support/random/random-seed.ts', 'spec/support/short-stacks.ts']
const SETUP = [
  'spec/support/quick-folder.ts',
  'spec/support/servers/build-web.ts',
  'spec/support/servers/build-program.ts',
]

/** Temporary files in memory: no specification is about the disk, and each commit would wait for it. */
const ENVIRONMENT = { TMPDIR: folderOfRun(), NODE_COMPILE_CACHE: COMPILE_CACHE }

export default defineConfig({
  test: {
    // For what hangs alone: on a busy machine everything may take many times as long.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    pool: 'forks',
    // Two more than a small machine has cores: each waits now and then for a server, a browser or a database of its
    // own.
    maxWorkers: 4,
    // Files share a process and the modules that it loaded: loading them again would cost each file a second.
    isolate: false,
    expect: { poll: { timeout: 30_000 } },
    setupFiles: WITH_EACH,
    // Every specification on every storage that it can tell something about; `--project sqlite` for one storage.
    projects: [
      {
        extends: true,
        test: {
          name: 'sqlite',
          include: EVERY,
          exclude: [OF_POSTGRES, WEBAPP],
          globalSetup: SETUP,
          env: { ...ENVIRONMENT, SPEC_STORAGE: 'sqlite' },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: EVERY,
          exclude: [PURE, OF_SQLITE, WEBAPP],
          globalSetup: [...SETUP, 'spec/support/postgres/setup.ts'],
          env: { ...ENVIRONMENT, SPEC_STORAGE: 'postgres' },
        },
      },
      {
        extends: true,
        plugins: [vue()],
        test: {
          name: 'webapp',
          include: [WEBAPP],
          environment: 'happy-dom',
          setupFiles: [...WITH_EACH, 'spec/webapp/setup.ts'],
        },
      },
    ],
  },
})
