import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'
import { BY_HAND, OF_NONE, OF_POSTGRES, OF_SQLITE } from './spec/projects.ts'

const EVERY = ['spec/**/*.spec.ts']
const WEBAPP = 'spec/webapp/**/*.spec.ts'

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each file opens its own state directory and worker threads; two at a time suit a small machine.
    pool: 'forks',
    maxWorkers: 2,
    setupFiles: ['spec/support/random-seed.ts'],
    // Every specification on every storage that it can tell something about; `--project sqlite` for one storage.
    projects: [
      { extends: true, test: { name: 'sqlite', include: EVERY, exclude: [...OF_POSTGRES, WEBAPP], globalSetup: ['spec/support/build-web.ts'], env: { SPEC_STORAGE: 'sqlite' } } },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: EVERY,
          exclude: [...OF_NONE, ...OF_SQLITE, ...BY_HAND],
          globalSetup: ['spec/support/build-web.ts', 'spec/support/postgres-setup.ts'],
          env: { SPEC_STORAGE: 'postgres' },
        },
      },
      {
        extends: true,
        plugins: [vue()],
        test: { name: 'webapp', include: [WEBAPP], environment: 'happy-dom', setupFiles: ['spec/support/random-seed.ts', 'spec/webapp/setup.ts'] },
      },
    ],
  },
})
