#pragma once
int util(void);
