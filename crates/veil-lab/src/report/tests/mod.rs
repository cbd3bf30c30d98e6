mod example;
