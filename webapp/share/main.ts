import '../styles/app.css'
import './share.css'
import { VueQueryPlugin } from '@tanstack/vue-query'
import { createApp } from 'vue'
import { queryClient } from '../api/query-client.ts'
import { applyDensity } from '../composables/use-display.ts'
import { applyTheme } from '../composables/use-theme.ts'
import { NoData, readDataFrom, readFile } from './data.ts'
import { FileLink } from './FileLink.ts'
import { fileRouter } from './router.ts'
import SharedApp from './SharedApp.vue'

readDataFrom((id) => document.getElementById(id)?.textContent ?? null)
applyTheme()
applyDensity()

const start = async (): Promise<void> => {
  try {
    const file = await readFile()
    const app = createApp(SharedApp, { file }).use(fileRouter(file)).use(VueQueryPlugin, { queryClient })
    app.component('RouterLink', FileLink)
    app.mount('#app')
  } catch (error) {
    const message = document.querySelector('#app > .start')
    if (!message || !(error instanceof NoData)) throw error
    message.setAttribute('role', 'alert')
    message.textContent = error.message
  }
}
// The script may be before the data in the page.
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => void start())
else void start()
