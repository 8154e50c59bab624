import '../styles/tokens.css'
import '../styles/base.css'
import '../styles/controls.css'
import { createApp } from 'vue'
import CheckReceipt from './CheckReceipt.vue'

createApp(CheckReceipt).mount('#app')
