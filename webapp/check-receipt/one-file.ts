import '../styles/app.css'
import './one-file.css'
import { createApp } from 'vue'
import CheckReceipt from './CheckReceipt.vue'

createApp(CheckReceipt).mount('#app')
