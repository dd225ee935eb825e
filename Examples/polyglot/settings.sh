#!/bin/sh
# Launch, in shell: outputs the settings of the shop.
. ../../clients/shell/initd.sh

settings() {
  initd_progress 0.5 'reading the settings'
  sleep 0.2
  initd_output '{"currency":"EUR","markup":1.2}'
}

initd_initializer settings settings
initd_serve
