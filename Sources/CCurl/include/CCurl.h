// libcurl for Swift, which can't call functions with variable arguments.
#pragma once

#include <curl/curl.h>

CURLMcode ccurl_on_socket(CURLM *multi, curl_socket_callback callback, void *context);
CURLMcode ccurl_on_timer(CURLM *multi, curl_multi_timer_callback callback, void *context);
CURLcode ccurl_on_data(CURL *easy, curl_write_callback callback, void *context);
CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *text);
CURLcode ccurl_set_number(CURL *easy, CURLoption option, long number);
CURLcode ccurl_set_body(CURL *easy, const void *bytes, long count);
CURLcode ccurl_set_headers(CURL *easy, struct curl_slist *headers);
CURLcode ccurl_set_reason(CURL *easy, char *buffer);
long ccurl_status(CURL *easy);
